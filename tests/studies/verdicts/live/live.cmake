# Ordinary programs in a base build and in slower ones, for tests/studies/verdicts/live.sh: a folder a
# build, of names of one length, with the same objects and another number of turns. Built on demand.
# What needs a library that is not there is left out, and live.sh leaves it out of its suite.
set(live ${CMAKE_CURRENT_LIST_DIR})
find_library(KGATE_ZLIB NAMES z)
find_library(KGATE_SQLITE NAMES sqlite3)

function(ordinary_objects name)
  add_library(ordinary_${name} OBJECT EXCLUDE_FROM_ALL ${ARGN})
  target_link_libraries(ordinary_${name} PRIVATE kgate_flags)
endfunction()

ordinary_objects(own ${live}/ordinary.c ${live}/heap.c ${live}/pipe.c ${live}/locks.c ${live}/files.c
                     ${live}/pool.c ${live}/memory.c ${live}/compute.c ${live}/words.c)
ordinary_objects(openmp ${live}/openmp.c)
target_link_libraries(ordinary_openmp PRIVATE kgate_openmp)
set(base ${PROJECT_SOURCE_DIR}/src/base)
ordinary_objects(json ${live}/json.c ${base}/json_tree.c ${base}/json_text.c ${base}/string_cache.c ${base}/arena.c ${base}/grow.c ${base}/memory.c ${base}/terminal.c
                      ${base}/error.c)
target_include_directories(ordinary_json PRIVATE ${PROJECT_SOURCE_DIR}/src)
ordinary_objects(yaml ${live}/yaml.c)
target_link_libraries(ordinary_yaml PRIVATE kgate_yaml)
set(plugins own openmp json)
set(programs yaml)
if(KGATE_ZLIB)
  ordinary_objects(deflate ${live}/deflate.c)
  list(APPEND plugins deflate)
endif()
if(KGATE_SQLITE)
  ordinary_objects(sql ${live}/sql.c)
  list(APPEND programs sql)
endif()
set(ordinary_own_libraries Threads::Threads m)
set(ordinary_openmp_libraries kgate_openmp m)
set(ordinary_yaml_libraries kgate_yaml)
set(ordinary_deflate_libraries ${KGATE_ZLIB})
set(ordinary_sql_libraries ${KGATE_SQLITE})

add_executable(beside EXCLUDE_FROM_ALL ${live}/beside.c ${live}/../neighbour.c)
target_link_libraries(beside PRIVATE kgate_core m)
# Says by how much the slower builds are slower, without kgate.
add_executable(slower EXCLUDE_FROM_ALL ${live}/slower.c)
target_link_libraries(slower PRIVATE kgate_flags ${CMAKE_DL_LIBS})
set_target_properties(beside slower PROPERTIES
                      RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/live)
add_custom_target(ordinary DEPENDS beside slower)

foreach(build base:100 same:100 s005:105 s010:110 s020:120 s100:200)
  string(REPLACE ":" ";" build ${build})
  list(GET build 0 folder)
  list(GET build 1 turns)
  add_library(ordinary_turns_${folder} OBJECT EXCLUDE_FROM_ALL ${live}/turns.c)
  target_compile_definitions(ordinary_turns_${folder} PRIVATE TURNS=${turns} REVISION="${folder}")
  target_link_libraries(ordinary_turns_${folder} PRIVATE kgate_flags)
  foreach(name ${plugins} ${programs})
    set(target ordinary_${name}_${folder})
    set(objects $<TARGET_OBJECTS:ordinary_${name}> $<TARGET_OBJECTS:ordinary_turns_${folder}>)
    if(name IN_LIST plugins)
      add_library(${target} MODULE EXCLUDE_FROM_ALL ${objects})
    else()
      add_executable(${target} EXCLUDE_FROM_ALL ${objects})
    endif()
    target_link_libraries(${target} PRIVATE ${ordinary_${name}_libraries})
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} PREFIX "" LINKER_LANGUAGE C
      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/live/${folder}
      RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/live/${folder})
    add_dependencies(ordinary ${target})
  endforeach()
endforeach()
