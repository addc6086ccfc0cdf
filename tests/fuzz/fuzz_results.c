/* Results, and the journals of runs that were killed. */
#include "fuzz.h"
#include "results/results.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct kg_results results;
    struct kg_error err = {0};
    if (!kg_results_load(fuzz_file(bytes, length), &results, &err))
        return 0;
    if (!kg_results_write(&results, fuzz_written(), &err))
        fuzz_fail("results that were read cannot be written", err.message);
    kg_results_free(&results);
    if (!kg_results_load(fuzz_written(), &results, &err))
        fuzz_fail("results that were written cannot be read", err.message);
    kg_results_free(&results);
    return 0;
}
