# One object library for each room of src/, as tests/structure/edges.txt lists them. The headers of a room lie
# below a folder of its own, so a room can include headers of the rooms that it takes from, and of no others.

# Sets `result` to the sources of a room.
function(kgate_room_sources room result)
  set(folder ${PROJECT_SOURCE_DIR}/src/${room})
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.c ${folder}/*/*.c)
  set(${result} "${sources}" PARENT_SCOPE)
endfunction()

# The target kgate_ROOM_headers of each room: what its own sources, and those that take from it, compile with.
function(kgate_room_headers)
  set(table ${PROJECT_SOURCE_DIR}/tests/structure/edges.txt)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
  file(STRINGS ${table} rows REGEX "^[a-z]")
  set(rooms)
  foreach(row ${rows})
    string(REGEX MATCH "^([a-z]+) *\\|([a-z ]*)\\|" row "${row}")
    set(room ${CMAKE_MATCH_1})
    string(REGEX MATCHALL "[a-z]+" taken "${CMAKE_MATCH_2}")
    set(folder ${PROJECT_BINARY_DIR}/rooms/${room})
    file(MAKE_DIRECTORY ${folder})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/${room} ${folder}/${room} SYMBOLIC)
    add_library(kgate_${room}_headers INTERFACE)
    target_include_directories(kgate_${room}_headers INTERFACE ${folder})
    # A debugger shows the files where they are.
    target_compile_options(kgate_${room}_headers INTERFACE
      $<$<COMPILE_LANGUAGE:C>:-ffile-prefix-map=${folder}/=${PROJECT_SOURCE_DIR}/src/>)
    list(TRANSFORM taken REPLACE "(.+)" "kgate_\\1_headers")
    target_link_libraries(kgate_${room}_headers INTERFACE kgate_warnings ${taken})
    list(APPEND rooms ${room})
  endforeach()
  set(KGATE_ROOMS ${rooms} PARENT_SCOPE)
endfunction()

# The object library kgate_ROOM of these sources.
function(kgate_room room)
  add_library(kgate_${room} OBJECT ${ARGN})
  target_link_libraries(kgate_${room} PRIVATE kgate_${room}_headers)
endfunction()
