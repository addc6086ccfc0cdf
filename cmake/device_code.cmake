# Device code of kgate's own: each src/device/code/NAME.cu becomes a fat binary for the configured
# architectures, embedded in kgate_core under its name (src/device/code.h). Without CUDA the table that
# it writes is empty.

# The options of nvcc that stand for CMAKE_CUDA_ARCHITECTURES.
function(kgate_code_options result)
  set(options "")
  foreach(architecture ${CMAKE_CUDA_ARCHITECTURES})
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
  if(KGATE_HAVE_CUDA)
    kgate_code_options(architectures)
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/device/code/*.cu)
  endif()
  foreach(source ${sources})
    get_filename_component(name ${source} NAME_WE)
    set(binary ${folder}/${name}.fatbin)
    add_custom_command(
      OUTPUT ${binary}
      COMMAND ${CMAKE_CUDA_COMPILER} -fatbin ${architectures} -std=c++17 -O3
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
#include \"device/code.h\"

#include <stddef.h>

${declarations}
const struct kg_embedded_code kg_embedded_codes[] = {
${rows}    {NULL, NULL, NULL},
};
" @ONLY)
  set_source_files_properties(${folder}/codes.c PROPERTIES OBJECT_DEPENDS "${binaries}")
  target_sources(${target} PRIVATE ${folder}/codes.c)
endfunction()
