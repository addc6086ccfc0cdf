# The half of the pairs that suggestions are developed with, as users compile their code: built on
# demand, by tests/studies/suggestions/run.sh judge developed.
file(GLOB KGATE_DEVELOPED CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.c)
add_library(suggestions_developed MODULE EXCLUDE_FROM_ALL ${KGATE_DEVELOPED})
target_compile_options(suggestions_developed PRIVATE -O2 -g)
target_link_libraries(suggestions_developed PRIVATE kgate_flags kgate_openmp Threads::Threads m)
