# The built-in kernels. Each family of kernels/ is one plugin, kgate-kernels/FAMILY.so, which kgate loads as it loads
# a user's. So kgate itself links neither OpenBLAS nor OpenMP nor the CUDA runtime.

# All families in one archive, from which a plugin takes its own objects. Tests link it too. It holds the few files
# of src/base that kernels call.
file(GLOB KGATE_KERNEL_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernels/*/*.c)
set(KGATE_KERNEL_BASE cpu/vectors cuda_folders library)
list(TRANSFORM KGATE_KERNEL_BASE REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/src/base/\\1.c")
add_library(kgate_kernels STATIC ${KGATE_KERNEL_SOURCES} ${KGATE_KERNEL_BASE})
target_include_directories(kgate_kernels PRIVATE ${PROJECT_SOURCE_DIR}/kernels)
# Kernels are what is measured: optimised in every build but the sanitizers', also in debug.
# Functions begin at a cache line: a change in one kernel must not move another's loops within theirs,
# which alone can cost a third of the speed.
# The code is hashed: it must not depend on where the source lies.
target_compile_options(kgate_kernels PRIVATE
  $<$<COMPILE_LANGUAGE:C>:-fno-math-errno;-falign-functions=64;-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=>
  $<$<AND:$<COMPILE_LANGUAGE:C>,$<NOT:$<BOOL:${KGATE_SANITIZE}>>>:-O3>)
# A loop that one compiler does not vectorise is slower, not wrong.
target_compile_options(kgate_kernels PRIVATE
  $<$<AND:$<COMPILE_LANGUAGE:C>,$<C_COMPILER_ID:Clang>>:-Wno-pass-failed>)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_options(kgate_kernels PRIVATE $<$<COMPILE_LANGUAGE:C>:-march=${KGATE_ARCH}>)
endif()
# Lattice codes are the same bit by bit in every version: no product is fused into a sum unless the source
# says so. And gcc makes vectors of conditions only where comparisons may be done in any order.
file(GLOB lattice_sources ${PROJECT_SOURCE_DIR}/kernels/lattice/*.c)
set_source_files_properties(${lattice_sources} PROPERTIES COMPILE_OPTIONS
  "-ffp-contract=off;-fno-trapping-math")
target_link_libraries(kgate_kernels PUBLIC kgate_flags PRIVATE kgate_device_headers kgate_openmp kgate_blas m)
if(KGATE_HAVE_CUDA)
  file(GLOB KGATE_CUDA_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernels/*/*.cu)
  # wgmma is only in code for 9.0a, which takes the place of that for 9.0 in the files that use it.
  set(KGATE_HOPPER_SOURCES ${KGATE_CUDA_SOURCES})
  list(FILTER KGATE_HOPPER_SOURCES INCLUDE REGEX "_hopper\\.cu$")
  list(FILTER KGATE_CUDA_SOURCES EXCLUDE REGEX "_hopper\\.cu$")
  set(hopper_architectures ${CMAKE_CUDA_ARCHITECTURES})
  if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.0)
    list(TRANSFORM hopper_architectures REPLACE "^90(-real)?$" "90a-real")
  endif()
  add_library(kgate_hopper OBJECT ${KGATE_HOPPER_SOURCES})
  set_target_properties(kgate_hopper PROPERTIES CUDA_ARCHITECTURES "${hopper_architectures}")
  if("90a-real" IN_LIST hopper_architectures)
    target_compile_definitions(kgate_hopper PRIVATE KGATE_SM90A)
  endif()
  target_include_directories(kgate_hopper PRIVATE ${PROJECT_SOURCE_DIR}/kernels)
  target_link_libraries(kgate_hopper PRIVATE kgate_device_headers)
  target_sources(kgate_kernels PRIVATE ${KGATE_CUDA_SOURCES} $<TARGET_OBJECTS:kgate_hopper>)
  target_compile_definitions(kgate_kernels PUBLIC KGATE_HAVE_CUDA)
  target_link_libraries(kgate_kernels PRIVATE CUDA::cudart_static ${CMAKE_DL_LIBS})
endif()

# The workloads of each family, from kernels/registry.def.
file(STRINGS ${PROJECT_SOURCE_DIR}/kernels/registry.def rows REGEX "^KG_KERNEL")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernels/registry.def)
set(KGATE_FAMILIES)
foreach(row ${rows})
  string(REGEX MATCH "^KG_KERNEL\\(([a-z_]+), ([a-z_]+)\\)" row "${row}")
  string(APPEND workloads_of_${CMAKE_MATCH_2} " KG_KERNEL(${CMAKE_MATCH_1})")
  list(APPEND KGATE_FAMILIES ${CMAKE_MATCH_2})
endforeach()
list(REMOVE_DUPLICATES KGATE_FAMILIES)

# The plugin kgate-kernels/NAME.so of these sources, and a target plugin_NAME. It exports what kernels/exports.map names.
# It needs the libraries that its objects call, and finds the profiler in kgate. The built file is the installed one,
# byte by byte: it has no path to libraries that `cmake --install` would remove.
function(kgate_own_plugin name)
  set(exports ${PROJECT_SOURCE_DIR}/kernels/exports.map)
  add_library(plugin_${name} MODULE ${ARGN})
  target_link_options(plugin_${name} PRIVATE LINKER:--as-needed LINKER:--version-script=${exports}
                      "$<$<BOOL:${KGATE_HAVE_CUDA}>:-static-libgcc;-static-libstdc++>")
  set_target_properties(plugin_${name} PROPERTIES
    PREFIX "" OUTPUT_NAME ${name} SUFFIX .so BUILD_WITH_INSTALL_RPATH ON LINK_DEPENDS ${exports}
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/kgate-kernels)
  if(KGATE_PORTABLE)
    set_target_properties(plugin_${name} PROPERTIES INSTALL_RPATH $ORIGIN)
  endif()
  set_property(GLOBAL APPEND PROPERTY KGATE_OWN_PLUGINS plugin_${name})
endfunction()

foreach(family ${KGATE_FAMILIES})
  set(source ${PROJECT_BINARY_DIR}/kernels/${family}.c)
  file(CONFIGURE OUTPUT ${source} CONTENT
"/* Written by cmake/kernels.cmake: the plugin of the family ${family}. */
#define KG_FAMILY${workloads_of_${family}}
#include \"common/family.h\"
" @ONLY)
  kgate_own_plugin(${family} ${source})
  target_link_libraries(plugin_${family} PRIVATE kgate_kernels)
endforeach()
