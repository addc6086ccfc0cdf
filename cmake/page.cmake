# The HTML page that kgate fills (src/show/page.h): esbuild makes one file of src/show/page and of the
# parts of ECharts that it uses, which is embedded. `npm ci` brings both, pinned by package-lock.json; without
# them kgate has no page, and says so when one is asked for.

# Sets `result` to what the page needs and is not there, in words; empty: nothing.
function(kgate_page_missing node packages result)
  set(missing)
  if(NOT node)
    list(APPEND missing "Node.js (Debian: nodejs)")
  endif()
  if(NOT EXISTS ${packages}/esbuild OR NOT EXISTS ${packages}/echarts)
    list(APPEND missing "its packages (`npm ci --ignore-scripts` in the sources)")
  endif()
  list(JOIN missing " and " missing)
  set(${result} "${missing}" PARENT_SCOPE)
endfunction()

function(kgate_embed_page target)
  set(sources ${PROJECT_SOURCE_DIR}/src/show/page)
  set(folder ${PROJECT_BINARY_DIR}/page)
  set(page ${folder}/page.html)
  find_program(KGATE_NODE NAMES node nodejs)
  kgate_page_missing("${KGATE_NODE}" ${PROJECT_SOURCE_DIR}/node_modules missing)
  if(NOT missing)
    file(GLOB_RECURSE parts CONFIGURE_DEPENDS ${sources}/*.js ${sources}/*.mjs ${sources}/*.css
                                              ${sources}/*.html)
    set(KGATE_HAVE_PAGE ON PARENT_SCOPE)
    add_custom_command(
      OUTPUT ${page}
      COMMAND ${KGATE_NODE} ${sources}/build.mjs ${page}
      DEPENDS ${parts} ${PROJECT_SOURCE_DIR}/src/model/changes.def ${PROJECT_SOURCE_DIR}/package-lock.json
      COMMENT "Making the HTML page" VERBATIM)
  else()
    kgate_part_missing("the HTML page" "needs ${missing}")
    file(CONFIGURE OUTPUT ${page} CONTENT "" @ONLY)
  endif()
  file(CONFIGURE OUTPUT ${folder}/page.c CONTENT
"/* Written by cmake/page.cmake. */
#include \"show/page.h\"

__asm__(\".pushsection .rodata\\n.globl kg_page_template\\n.hidden kg_page_template\\n\"
        \"kg_page_template:\\n.incbin \\\"${page}\\\"\\n.byte 0\\n.popsection\\n\");
" @ONLY)
  set_source_files_properties(${folder}/page.c PROPERTIES OBJECT_DEPENDS ${page})
  target_sources(${target} PRIVATE ${folder}/page.c)
endfunction()
