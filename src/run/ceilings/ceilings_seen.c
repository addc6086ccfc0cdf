/* Other load on the device while kgate measured its ceilings. */
#include <stdio.h>

#include "run/ceilings/ceilings_measure.h"

void kg_ceilings_see(struct kg_ceilings_seen *seen, const struct kg_nvml_telemetry *telemetry)
{
    if (telemetry->throttle > 0)
        seen->throttle |= telemetry->throttle;
    if (telemetry->other_processes > seen->others)
        seen->others = telemetry->other_processes;
}

const char *kg_ceilings_seen_words(const struct kg_ceilings_seen *seen, struct kg_arena *arena)
{
    const int64_t held = seen->throttle & ~(int64_t)KG_NVML_POWER_CAP;
    const bool throttled = kg_nvml_throttled(held);
    char by[160], beside[64] = "";
    if (!throttled && seen->others <= 0)
        return NULL;
    if (seen->others > 0)
        snprintf(beside, sizeof beside, "%d other process%s on the GPU", seen->others,
                 seen->others == 1 ? "" : "es");
    kg_nvml_throttle_words(held, by, sizeof by);
    return kg_arena_printf(arena, "measured %s%s%s%s%s", *beside ? "beside " : "", beside,
                           *beside && throttled ? ", " : "", throttled ? "throttled by " : "", by);
}
