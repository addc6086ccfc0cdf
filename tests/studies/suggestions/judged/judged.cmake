# Ordinary mistakes, each beside its mended version, and well-made workloads, as one plugin: what is
# wrong with each is in truth.tsv. Built on demand, as its users would: with -O2, for any processor.
file(GLOB judged_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.c)
add_library(suggestions_judged MODULE EXCLUDE_FROM_ALL ${judged_sources})
target_compile_options(suggestions_judged PRIVATE -O2 -g)
target_link_libraries(suggestions_judged PRIVATE kgate_flags kgate_openmp Threads::Threads m)
set_target_properties(suggestions_judged PROPERTIES PREFIX "")
