#include "model/throttle.h"

#include <math.h>
#include <stdio.h>

#include "device/nvml.h"

double kg_round_power_capped(const struct kg_round *round)
{
    /* a file may hold any number */
    if (!(round->throttle >= 0 && round->throttle < 0x1p32))
        return NAN;
    return (int64_t)round->throttle & KG_NVML_POWER_CAP ? 1 : 0;
}

static void round_count(const struct kg_round *round, struct kg_gpu_conditions *conditions)
{
    conditions->rounds++;
    conditions->shared += round->other_processes > 0;
    conditions->throttled += round->throttled;
    /* bits as a number: a file may hold any number */
    if (round->throttled && round->throttle >= 0 && round->throttle < 0x1p32)
        conditions->bits |= (int64_t)round->throttle;
}

struct kg_gpu_conditions kg_gpu_conditions(const struct kg_results *results)
{
    struct kg_gpu_conditions conditions = {0};
    for (size_t i = 0; i < results->case_count; i++)
        for (size_t r = 0; results->cases[i].timing && r < results->cases[i].round_count; r++)
            round_count(&results->cases[i].rounds[r], &conditions);
    return conditions;
}

void kg_gpu_conditions_words(const struct kg_gpu_conditions *conditions, char *throttled,
                             char *shared, size_t bytes)
{
    char by[160];
    *throttled = *shared = '\0';
    kg_nvml_throttle_words(conditions->bits, by, sizeof by);
    if (conditions->throttled)
        snprintf(throttled, bytes, "the GPU was throttled in %zu of %zu rounds%s%s",
                 conditions->throttled, conditions->rounds, *by ? " by " : "", by);
    if (conditions->shared)
        snprintf(shared, bytes, "other processes were on the GPU in %zu of %zu rounds",
                 conditions->shared, conditions->rounds);
}
