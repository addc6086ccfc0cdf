/* wait_bounds.c: a busy machine makes rounds longer, never shorter, and the waits of a round bound the effect: its
 * threads cannot lose more time than they waited. If a time is longer even without its waits, the program is slower,
 * whatever else ran. */
#include "judge/wait_bounds.h"

#include <math.h>
#include <string.h>

#include "base/statistics/stats.h"
#include "model/disturbance.h"

enum { ROUNDS_LEAST = 5, LEFT_OUT = 10 };

const double KG_SHARED_MOST = 2;

/* Limit for the waits of stored rounds, as a multiple of the usual limit. kgate stores judged rounds only. */
static const double STORED_WAITS = 2;

static void bounds_append(const struct kg_baseline_case *stored, struct kg_wait_bounds *bounds)
{
    const struct kg_baseline_series *times =
        kg_baseline_series_find(stored, kg_metric_kind_names[KG_METRIC_TIME], KG_SERIES_OF_ROUNDS);
    const struct kg_baseline_series *means =
        kg_baseline_series_find(stored, KG_SERIES_MEAN, KG_SERIES_OF_ROUNDS);
    const struct kg_baseline_series *least =
        kg_baseline_series_find(stored, KG_SERIES_LEAST, KG_SERIES_OF_ROUNDS);
    for (size_t i = 0; times && i < times->value_count; i++) {
        const bool mean = means && i < means->value_count;
        bounds->most_ns[bounds->count] = fmax(times->values[i], mean ? means->values[i] : 0);
        bounds->least_ns[bounds->count++] =
            least && i < least->value_count
                ? least->values[i]
                : times->values[i] * (1 - STORED_WAITS * KG_DISTURBANCE_USUAL);
    }
}

void kg_wait_bounds_stored(struct kg_arena *arena, const struct kg_reference *reference,
                           struct kg_wait_bounds *bounds)
{
    *bounds = (struct kg_wait_bounds){
        .least_ns = kg_arena_alloc(arena, reference->round_count + 1, sizeof(double)),
        .most_ns = kg_arena_alloc(arena, reference->round_count + 1, sizeof(double))};
    for (size_t i = 0; i < reference->case_count; i++)
        bounds_append(reference->cases[i], bounds);
}

static bool all_known(const struct kg_wait_bounds *bounds)
{
    for (size_t i = 0; i < bounds->count; i++)
        if (isnan(bounds->least_ns[i]) || isnan(bounds->most_ns[i]))
            return false;
    return bounds->count >= ROUNDS_LEAST;
}

/* Lowest and highest value without the wildest tenth. */
static double lowest(double *x, size_t count)
{
    kg_sort(x, count);
    return x[count / LEFT_OUT];
}

static double highest(double *x, size_t count)
{
    kg_sort(x, count);
    return x[count - 1 - count / LEFT_OUT];
}

bool kg_waits_exceeded(struct kg_wait_bounds *base, struct kg_wait_bounds *now, double threshold,
                       double factor)
{
    const double above = 1 + threshold;
    if (!all_known(base) || !all_known(now))
        return false;
    return lowest(now->least_ns, now->count) >
               factor * above * highest(base->most_ns, base->count) ||
           above * highest(now->most_ns, now->count) < lowest(base->least_ns, base->count);
}
