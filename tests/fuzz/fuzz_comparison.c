/* Comparisons that were saved. */
#include "compare/comparison.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct kg_comparison comparison;
    struct kg_error err = {0};
    if (!kg_comparison_load(fuzz_file(bytes, length), &comparison, &err))
        return 0;
    if (!kg_comparison_write(&comparison, fuzz_written(), &err))
        fuzz_fail("a comparison that was read cannot be written", err.message);
    kg_comparison_free(&comparison);
    if (!kg_comparison_load(fuzz_written(), &comparison, &err))
        fuzz_fail("a comparison that was written cannot be read", err.message);
    kg_comparison_free(&comparison);
    return 0;
}
