/* Callgrind's output for a foreign program. */
#include "fuzz.h"
#include "why/observe/callgrind_lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct kg_callgrind_lines lines = {0};
    if (kg_callgrind_lines_add(&lines, fuzz_file(bytes, length))) {
        struct kg_arena arena = {0};
        struct kg_counted counted = {0};
        kg_callgrind_lines_take(&lines, 3, &arena, &counted);
        kg_arena_free(&arena);
    }
    kg_callgrind_lines_free(&lines);
    return 0;
}
