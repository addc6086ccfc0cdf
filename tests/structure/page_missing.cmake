# What a build without the HTML report says is missing: cmake -P page_missing.cmake
include(${CMAKE_CURRENT_LIST_DIR}/../../cmake/page.cmake)
set(packages ${CMAKE_CURRENT_BINARY_DIR}/page_missing)
file(REMOVE_RECURSE ${packages})

function(expect node pattern)
  kgate_page_missing("${node}" ${packages} missing)
  if(NOT missing MATCHES "${pattern}")
    message(FATAL_ERROR "with node '${node}' missing is '${missing}', which does not match ${pattern}")
  endif()
endfunction()

expect(KGATE_NODE-NOTFOUND "^Node.js .* and its packages .*npm ci")
expect(/usr/bin/node "^its packages .*npm ci")
file(MAKE_DIRECTORY ${packages}/esbuild ${packages}/echarts)
expect(KGATE_NODE-NOTFOUND "^Node.js [(]Debian: nodejs[)]$")
expect(/usr/bin/node "^$")
file(REMOVE_RECURSE ${packages})
