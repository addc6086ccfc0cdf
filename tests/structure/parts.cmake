# The line with the parts that a build lacks: cmake -P parts.cmake
include(${CMAKE_CURRENT_LIST_DIR}/../../cmake/parts.cmake)

function(expect wanted)
  kgate_parts_line(line)
  if(NOT line STREQUAL wanted)
    message(FATAL_ERROR "the line is '${line}', not '${wanted}'")
  endif()
endfunction()

expect("kgate is built with all its parts: CUDA and the HTML page")
kgate_part_missing("CUDA" "no nvcc found")
expect("kgate is built without: CUDA (no nvcc found)")
kgate_part_missing("the HTML page" "needs Node.js")
expect("kgate is built without: CUDA (no nvcc found); the HTML page (needs Node.js)")
