# One interface target per third-party library. kgate takes the archive of a library if there is one: it runs plugins,
# and a library of kgate's would stand in for another version that the plugin brings. With KGATE_PORTABLE an archive
# must be there.
# What each is for, and why: docs/dependencies.md.

find_package(Threads REQUIRED)

function(kgate_library target header archive shared)
  find_path(${target}_INCLUDE ${header} REQUIRED)
  if(KGATE_PORTABLE)
    find_library(${target}_LIBRARY NAMES ${archive} REQUIRED)
  else()
    find_library(${target}_LIBRARY NAMES ${archive} ${shared} REQUIRED)
  endif()
  add_library(${target} INTERFACE)
  target_include_directories(${target} SYSTEM INTERFACE ${${target}_INCLUDE})
  target_link_libraries(${target} INTERFACE ${${target}_LIBRARY})
endfunction()

kgate_library(kgate_yaml yaml.h libyaml.a yaml)

# The archive of libdw needs four others. By their paths: CMake makes -lelf of the name libelf.a, and that is the
# shared library where there is one. tests/structure/portable.sh looks at what came of it.
set(dwfl_archives)
foreach(archive elf z lzma bz2)
  find_library(KGATE_ARCHIVE_${archive} NAMES lib${archive}.a)
  list(APPEND dwfl_archives ${KGATE_ARCHIVE_${archive}})
endforeach()
unset(kgate_dwfl_LIBRARY CACHE) # the archives may have come since the last configuration
if(KGATE_PORTABLE OR NOT dwfl_archives MATCHES "NOTFOUND")
  kgate_library(kgate_dwfl elfutils/libdwfl.h libdw.a dw)
  target_link_libraries(kgate_dwfl INTERFACE ${dwfl_archives})
else()
  message(STATUS "No archive of one of libelf, libz, liblzma, libbz2: kgate links the shared libdw, also beside plugins")
  kgate_library(kgate_dwfl elfutils/libdwfl.h dw dw)
  target_link_libraries(kgate_dwfl INTERFACE elf)
endif()
kgate_library(kgate_capstone capstone/capstone.h libcapstone.a capstone)
if(NOT KGATE_PORTABLE)
  # Opened at run time, by those who read code: src/why/observe/disassembly.c says why.
  set_property(TARGET kgate_capstone PROPERTY INTERFACE_LINK_LIBRARIES)
endif()
kgate_library(kgate_seccomp seccomp.h libseccomp.a seccomp)
kgate_library(kgate_sqlite sqlite3.h libsqlite3.a sqlite3)
target_link_libraries(kgate_sqlite INTERFACE Threads::Threads ${CMAKE_DL_LIBS} m)

# OpenBLAS: the reference for matrix work, and the `blas` version of gemm. Debian keeps it in a
# folder for each of its variants; the plain name is a link that may belong to another BLAS.
set(KGATE_BLAS_HINTS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-pthread
                     /usr/lib/x86_64-linux-gnu/openblas-pthread)
find_path(KGATE_BLAS_INCLUDE NAMES cblas.h REQUIRED
          HINTS /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-pthread
                /usr/include/x86_64-linux-gnu/openblas-pthread)
if(KGATE_PORTABLE)
  find_library(KGATE_BLAS_LIBRARY NAMES libopenblas.a HINTS ${KGATE_BLAS_HINTS} REQUIRED)
else()
  find_library(KGATE_BLAS_LIBRARY NAMES openblas HINTS ${KGATE_BLAS_HINTS} REQUIRED)
endif()
add_library(kgate_blas INTERFACE)
target_include_directories(kgate_blas SYSTEM INTERFACE ${KGATE_BLAS_INCLUDE})
# Whether the target that is linked is a plugin, for the libraries of a portable build. A program with the property
# KGATE_BESIDE_PLUGINS shares their libraries too.
set(is_plugin $<OR:$<STREQUAL:$<TARGET_PROPERTY:TYPE>,MODULE_LIBRARY>,$<BOOL:$<TARGET_PROPERTY:KGATE_BESIDE_PLUGINS>>>)
if(KGATE_PORTABLE)
  # Several plugins share one library, made of the archive: it is 26 MB. Debian's archive holds LAPACK too, in Fortran;
  # these functions pull none of it in.
  file(WRITE ${PROJECT_BINARY_DIR}/blas.c "")
  add_library(kgate_blas_library SHARED ${PROJECT_BINARY_DIR}/blas.c)
  foreach(function cblas_sgemm cblas_dgemm cblas_dgemv openblas_set_num_threads blas_thread_shutdown_)
    target_link_options(kgate_blas_library PRIVATE LINKER:--undefined=${function})
  endforeach()
  target_link_libraries(kgate_blas_library PRIVATE ${KGATE_BLAS_LIBRARY} Threads::Threads m)
  set_target_properties(kgate_blas_library PROPERTIES
    OUTPUT_NAME kgate_blas LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/kgate-kernels)
  target_link_libraries(kgate_blas INTERFACE $<IF:${is_plugin},kgate_blas_library,${KGATE_BLAS_LIBRARY}> Threads::Threads m)
else()
  target_link_libraries(kgate_blas INTERFACE ${KGATE_BLAS_LIBRARY})
endif()

find_package(OpenMP REQUIRED COMPONENTS C)
add_library(kgate_openmp INTERFACE)
target_compile_options(kgate_openmp INTERFACE $<$<COMPILE_LANGUAGE:C>:${OpenMP_C_FLAGS}>)
if(KGATE_PORTABLE AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
  # libgomp lies beside the compiler. Its archive does not go into a plugin: the code is for programs alone. So a copy of
  # the library lies beside the plugins.
  foreach(file libgomp.a libgomp.so.1)
    execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=${file}
                    OUTPUT_VARIABLE KGATE_${file} OUTPUT_STRIP_TRAILING_WHITESPACE)
  endforeach()
  configure_file(${KGATE_libgomp.so.1} ${PROJECT_BINARY_DIR}/kgate-kernels/libgomp.so.1 COPYONLY)
  set(KGATE_GOMP ${PROJECT_BINARY_DIR}/kgate-kernels/libgomp.so.1)
  target_link_libraries(kgate_openmp INTERFACE $<IF:${is_plugin},${KGATE_GOMP},${KGATE_libgomp.a}> Threads::Threads
                                               ${CMAKE_DL_LIBS})
else()
  target_link_libraries(kgate_openmp INTERFACE OpenMP::OpenMP_C)
endif()
