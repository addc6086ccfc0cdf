/* Profiles: recordings of the profiler, and kgate.profile.v1 files. */
#include "fuzz.h"
#include "profiler/read/profile_load.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct kg_profile profile;
    struct kg_error err = {0};
    if (!kg_profile_load(fuzz_file(bytes, length), &profile, &err))
        return 0;
    kg_profile_free(&profile);
    return 0;
}
