/* Baselines of a store. */
#include "baseline/baseline.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct kg_baseline baseline;
    struct kg_error err = {0};
    if (!kg_baseline_load(fuzz_file(bytes, length), &baseline, &err))
        return 0;
    if (!kg_record_save(&kg_baseline_record, &baseline, KG_BASELINE_SCHEMA, fuzz_written(), &err))
        fuzz_fail("a baseline that was read cannot be written", err.message);
    kg_baseline_free(&baseline);
    if (!kg_baseline_load(fuzz_written(), &baseline, &err))
        fuzz_fail("a baseline that was written cannot be read", err.message);
    kg_baseline_free(&baseline);
    return 0;
}
