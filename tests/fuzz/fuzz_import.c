/* Files of other harnesses: an import must give results that kgate can write and read. */
#include "fuzz.h"
#include "run/import/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static const struct kg_import_options options = {0};
    const char *path = fuzz_file(bytes, length);
    struct kg_results results;
    struct kg_error err = {0};
    if (!kg_import(&path, 1, &options, &results, &err))
        return 0;
    if (!kg_results_write(&results, fuzz_written(), &err))
        fuzz_fail("what was imported cannot be written", err.message);
    kg_results_free(&results);
    if (!kg_results_load(fuzz_written(), &results, &err))
        fuzz_fail("what was imported cannot be read", err.message);
    kg_results_free(&results);
    return 0;
}
