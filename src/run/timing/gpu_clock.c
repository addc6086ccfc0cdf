#include "run/timing/gpu_timer.h"

#include <math.h>
#include <stdbool.h>

#include "base/statistics/stats.h"

static bool stamp_usable(const struct kg_stamps *stamps, size_t i)
{
    const struct kg_stamp *stamp = &stamps->of[i];
    return stamp->number == stamps->number && stamp->step_ns > 0;
}

static double clock_hz(const struct kg_stamp *before, const struct kg_stamp *after, double least_ns)
{
    if (!before || after->timer_ns <= before->timer_ns || after->cycles <= before->cycles)
        return NAN;
    const double passed_ns = (double)(after->timer_ns - before->timer_ns);
    return passed_ns < least_ns ? NAN : 1e9 * (double)(after->cycles - before->cycles) / passed_ns;
}

double kg_stamps_clock_hz(const struct kg_stamps *before, const struct kg_stamps *after,
                          double least_ns)
{
    const struct kg_stamp *first[KG_STAMPS_MOST] = {0}; /* by multiprocessor */
    double clocks[KG_STAMPS_MOST];
    size_t count = 0;
    for (size_t i = 0; i < before->count && i < KG_STAMPS_MOST; i++)
        if (stamp_usable(before, i) && before->of[i].multiprocessor < KG_STAMPS_MOST)
            first[before->of[i].multiprocessor] = &before->of[i];
    for (size_t i = 0; i < after->count && i < KG_STAMPS_MOST; i++) {
        const uint32_t multiprocessor = after->of[i].multiprocessor;
        if (!stamp_usable(after, i) || multiprocessor >= KG_STAMPS_MOST)
            continue;
        const double hz = clock_hz(first[multiprocessor], &after->of[i], least_ns);
        if (!isnan(hz))
            clocks[count++] = hz;
    }
    if (!count)
        return NAN;
    kg_sort(clocks, count);
    return kg_median_sorted(clocks, count);
}
