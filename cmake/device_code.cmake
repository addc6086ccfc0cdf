# Device code of kgate's own: each src/device/code/NAME.cu becomes a fat binary for the configured
# architectures, embedded in kgate_core under its name (src/device/device_code.h). Without CUDA the table that
# it writes is empty.

# The files with code that compute capability 9.0 alone has (wgmma): there 90a takes the place of 90. The
# PTX stays that of 90, which later devices can run too.
set(KGATE_CODE_OF_90A ceilings)

# CMAKE_CUDA_ARCHITECTURES for the file of that name.
function(kgate_code_architectures name result)
  set(architectures "")
  foreach(architecture ${CMAKE_CUDA_ARCHITECTURES})
    if(architecture MATCHES "^90(-real)?$" AND name IN_LIST KGATE_CODE_OF_90A
       AND CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.0)
      list(APPEND architectures 90a-real)
      if(architecture STREQUAL "90")
        list(APPEND architectures 90-virtual)
      endif()
    else()
      list(APPEND architectures ${architecture})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES architectures)
  set(${result} "${architectures}" PARENT_SCOPE)
endfunction()

# The options of nvcc that stand for such a list.
function(kgate_code_options result)
  set(options "")
  foreach(architecture ${ARGN})
    if(architecture MATCHES "^([0-9]+[af]?)-real$")
      list(APPEND options "-gencode=arch=compute_${CMAKE_MATCH_1},code=sm_${CMAKE_MATCH_1}")
    elseif(architecture MATCHES "^([0-9]+[af]?)-virtual$")
      list(APPEND options "-gencode=arch=compute_${CMAKE_MATCH_1},code=compute_${CMAKE_MATCH_1}")
    elseif(architecture MATCHES "^[0-9]+[af]?$")
      list(APPEND options
           "-gencode=arch=compute_${architecture},code=[compute_${architecture},sm_${architecture}]")
    else() # native, all, all-major
      list(APPEND options "-arch=${architecture}")
    endif()
  endforeach()
  set(${result} "${options}" PARENT_SCOPE)
endfunction()

function(kgate_embed_device_code target)
  set(declarations "")
  set(rows "")
  set(binaries "")
  set(folder ${PROJECT_BINARY_DIR}/device_code)
  set(sources "")
  if(KGATE_HAVE_CUDA)
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/device/code/*.cu)
  endif()
  foreach(source ${sources})
    get_filename_component(name ${source} NAME_WE)
    set(binary ${folder}/${name}.fatbin)
    kgate_code_architectures(${name} architectures)
    kgate_code_options(options ${architectures})
    add_custom_command(
      OUTPUT ${binary}
      COMMAND ${CMAKE_CUDA_COMPILER} -fatbin ${options} -std=c++17 -O3
              -I${PROJECT_SOURCE_DIR}/src -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/kernels
              $<$<BOOL:${KGATE_WERROR}>:-Werror=all-warnings> -MD -MF ${binary}.d -o ${binary} ${source}
      DEPENDS ${source} DEPFILE ${binary}.d
      COMMENT "Compiling device code ${name}.cu" COMMAND_EXPAND_LISTS VERBATIM)
    list(APPEND binaries ${binary})
    # The driver wants it aligned to 8 bytes; a label of this file alone cannot clash with another.
    string(APPEND declarations
      "__asm__(\".pushsection .rodata\\n.balign 64\\n.globl kg_code_${name}, kg_code_${name}_end\\n\"\n"
      "        \".hidden kg_code_${name}, kg_code_${name}_end\\nkg_code_${name}:\\n\"\n"
      "        \".incbin \\\"${binary}\\\"\\nkg_code_${name}_end:\\n.popsection\\n\");\n"
      "extern const unsigned char kg_code_${name}[], kg_code_${name}_end[];\n")
    string(APPEND rows "    {\"${name}\", kg_code_${name}, kg_code_${name}_end},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${folder}/codes.c CONTENT
"/* Written by cmake/device_code.cmake. */
#include \"device/device_code.h\"

#include <stddef.h>

${declarations}
const struct kg_embedded_code kg_embedded_codes[] = {
${rows}    {NULL, NULL, NULL},
};
" @ONLY)
  set_source_files_properties(${folder}/codes.c PROPERTIES OBJECT_DEPENDS "${binaries}")
  target_sources(${target} PRIVATE ${folder}/codes.c)
endfunction()
