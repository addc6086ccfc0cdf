# One interface target for each third-party library; with KGATE_PORTABLE each is its static archive.
# What each is for, and why: docs/dependencies.md.

find_package(Threads REQUIRED)

function(kgate_library target header archive shared)
  find_path(${target}_INCLUDE ${header} REQUIRED)
  if(KGATE_PORTABLE)
    find_library(${target}_LIBRARY NAMES ${archive} REQUIRED)
  else()
    find_library(${target}_LIBRARY NAMES ${shared} REQUIRED)
  endif()
  add_library(${target} INTERFACE)
  target_include_directories(${target} SYSTEM INTERFACE ${${target}_INCLUDE})
  target_link_libraries(${target} INTERFACE ${${target}_LIBRARY})
endfunction()

kgate_library(kgate_yaml yaml.h libyaml.a yaml)
kgate_library(kgate_jansson jansson.h libjansson.a jansson)
# kgate-worker carries no library into the process of a plugin: where there is an archive, that.
find_library(KGATE_JANSSON_ARCHIVE NAMES libjansson.a jansson REQUIRED)

kgate_library(kgate_dwfl elfutils/libdwfl.h libdw.a dw)
if(KGATE_PORTABLE)
  # By their paths: CMake makes -lelf of the name libelf.a, and that is the shared library where there is
  # one. tests/structure/portable.sh looks at what came of it.
  foreach(archive elf z lzma bz2)
    find_library(KGATE_ARCHIVE_${archive} NAMES lib${archive}.a REQUIRED)
    target_link_libraries(kgate_dwfl INTERFACE ${KGATE_ARCHIVE_${archive}})
  endforeach()
else()
  target_link_libraries(kgate_dwfl INTERFACE elf)
endif()
kgate_library(kgate_capstone capstone/capstone.h libcapstone.a capstone)
if(NOT KGATE_PORTABLE)
  # Opened at run time, by those who read code: src/why/observe/capstone_calls.h says why.
  set_property(TARGET kgate_capstone PROPERTY INTERFACE_LINK_LIBRARIES)
endif()
kgate_library(kgate_seccomp seccomp.h libseccomp.a seccomp)

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
target_link_libraries(kgate_blas INTERFACE ${KGATE_BLAS_LIBRARY})
if(KGATE_PORTABLE)
  # Debian's archive holds LAPACK too, in Fortran; gemm alone pulls none of it in.
  target_link_libraries(kgate_blas INTERFACE Threads::Threads m)
endif()

find_package(OpenMP REQUIRED COMPONENTS C)
add_library(kgate_openmp INTERFACE)
target_compile_options(kgate_openmp INTERFACE $<$<COMPILE_LANGUAGE:C>:${OpenMP_C_FLAGS}>)
if(KGATE_PORTABLE AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
  # libgomp's archive lies beside the compiler.
  execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libgomp.a
                  OUTPUT_VARIABLE KGATE_GOMP OUTPUT_STRIP_TRAILING_WHITESPACE)
  target_link_libraries(kgate_openmp INTERFACE ${KGATE_GOMP} Threads::Threads ${CMAKE_DL_LIBS})
else()
  target_link_libraries(kgate_openmp INTERFACE OpenMP::OpenMP_C)
endif()
