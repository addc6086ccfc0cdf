# Libraries as Debian has them, with settings that are known to be slow: fetched and built on demand, by
# tests/studies/suggestions/run.sh judge libraries. Compiled with -O2 -g, as Debian does.
set(KGATE_DEBIAN ${CMAKE_BINARY_DIR}/debian)

# An object library of sources that are only there once they are fetched.
function(kgate_debian_library NAME FOLDER)
  list(TRANSFORM ARGN PREPEND ${KGATE_DEBIAN}/${FOLDER}/ OUTPUT_VARIABLE SOURCES)
  set_source_files_properties(${SOURCES} PROPERTIES GENERATED TRUE)
  add_library(${NAME} OBJECT EXCLUDE_FROM_ALL ${SOURCES})
  target_compile_options(${NAME} PRIVATE -O2 -g -w)
  set_target_properties(${NAME} PROPERTIES POSITION_INDEPENDENT_CODE ON C_CLANG_TIDY "")
endfunction()

kgate_debian_library(
  debian_zlib zlib adler32.c compress.c crc32.c deflate.c gzclose.c gzlib.c gzread.c gzwrite.c
  inffast.c inflate.c inftrees.c trees.c uncompr.c zutil.c)
target_compile_definitions(debian_zlib PRIVATE HAVE_UNISTD_H)
kgate_debian_library(debian_expat expat/expat/lib xmlparse.c xmlrole.c xmltok.c)
target_compile_definitions(debian_expat PRIVATE HAVE_GETRANDOM XML_NS XML_DTD XML_CONTEXT_BYTES=1024
                                                BYTEORDER=1234)
kgate_debian_library(
  debian_jansson jansson/src dump.c error.c hashtable.c hashtable_seed.c load.c memory.c pack_unpack.c
  strbuffer.c strconv.c utf.c value.c version.c)
target_compile_definitions(debian_jansson PRIVATE HAVE_UNISTD_H HAVE_STDINT_H HAVE_LOCALE_H
                                                  INITIAL_HASHTABLE_ORDER=3)
kgate_debian_library(debian_xxhash xxhash xxhash.c)
target_compile_definitions(debian_xxhash PRIVATE XXH_NAMESPACE=vector_)
kgate_debian_library(debian_xxhash_plain xxhash xxhash.c)
target_compile_definitions(debian_xxhash_plain PRIVATE XXH_NAMESPACE=plain_ XXH_VECTOR=0)

set(KGATE_DEBIAN_LIBRARIES debian_zlib debian_expat debian_jansson debian_xxhash debian_xxhash_plain)
file(GLOB KGATE_LIBRARIES CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.c)
add_library(suggestions_libraries MODULE EXCLUDE_FROM_ALL ${KGATE_LIBRARIES}
                                                          ${CMAKE_CURRENT_LIST_DIR}/../developed/workload.c)
foreach(LIBRARY IN LISTS KGATE_DEBIAN_LIBRARIES)
  target_sources(suggestions_libraries PRIVATE $<TARGET_OBJECTS:${LIBRARY}>)
endforeach()
target_compile_options(suggestions_libraries PRIVATE -O2 -g)
target_include_directories(
  suggestions_libraries SYSTEM PRIVATE ${KGATE_DEBIAN}/zlib ${KGATE_DEBIAN}/expat/expat/lib
                                       ${KGATE_DEBIAN}/jansson/src ${KGATE_DEBIAN}/sqlite/usr/include)
# kgate itself links some of them: what is in here is to be called from here.
target_link_options(suggestions_libraries PRIVATE -Wl,-Bsymbolic)
target_link_libraries(
  suggestions_libraries PRIVATE kgate_flags Threads::Threads m
  ${KGATE_DEBIAN}/sqlite/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/libsqlite3.so.0)
