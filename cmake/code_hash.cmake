# The hashes of the built-in kernels' machine code (src/base/code/code_table.h): computed from the
# object files when they are built, and compiled into kgate. They follow the kernels: whenever one is
# compiled anew, so is the table.

# Adds the table of the kernels in the static library `kernels` to the library `target`.
function(kgate_embed_code_table target kernels)
  add_executable(kgate_code_table_tool
    src/base/code/code_table_tool.c src/base/code/code_table.c src/base/code/code_hash.c
    src/base/code/loaded_image.c src/base/code/elf.c src/base/sha256.c)
  target_link_libraries(kgate_code_table_tool PRIVATE kgate_base_headers kgate_profiler)
  set(table ${PROJECT_BINARY_DIR}/code_table.c)
  # The library stands for its objects: with Makefiles a target knows no other's objects as files.
  add_custom_command(
    OUTPUT ${table}
    COMMAND kgate_code_table_tool ${table} $<TARGET_OBJECTS:${kernels}>
    DEPENDS ${kernels} kgate_code_table_tool
    COMMENT "Hashing the kernels' code" COMMAND_EXPAND_LISTS VERBATIM)
  target_sources(${target} PRIVATE ${table})
endfunction()
