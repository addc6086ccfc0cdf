/* slow_tail.c: finds a program that became far slower in some of its processes, for example ten times slower in a
 * fifth. Its median stays, and the trimmed mean leaves its slow rounds out. Its interval is wide or inside the
 * threshold. On a busy machine a slow round is often disturbed, because a long call is preempted more often. So rounds
 * that are not judged count too, with the lower bound of their time. RATIO was chosen on one half of the public sets
 * (docs/evidence/verdicts.md). */
#include "judge/evidence.h"

#include <math.h>
#include <string.h>

#include "base/statistics/stats.h"

enum { ROUNDS_LEAST = 5, BASE_LEAST_OF_OTHERS = 3, LEFT_OUT = 10 };
static const double RATIO = 6;

static double *sorted(const double *values, size_t count, double *scratch)
{
    memcpy(scratch, values, count * sizeof *values);
    kg_sort(scratch, count);
    return scratch;
}

struct kg_widening kg_widening_find(const struct kg_widening_rounds *rounds, double threshold,
                                    double *scratch)
{
    struct kg_widening found = {.tail = NAN, .base_tail = NAN};
    const size_t count = rounds->current_count + rounds->other_count;
    const size_t base_least = rounds->other_count ? BASE_LEAST_OF_OTHERS : ROUNDS_LEAST;
    if (rounds->base_count < base_least || !rounds->current_count || count < ROUNDS_LEAST)
        return found;
    const double *before = sorted(rounds->base, rounds->base_count, scratch);
    double *now = scratch + rounds->base_count;
    const double was = kg_median_sorted(before, rounds->base_count);
    memcpy(now, rounds->current, rounds->current_count * sizeof *now);
    if (rounds->other_count)
        memcpy(now + rounds->current_count, rounds->others, rounds->other_count * sizeof *now);
    kg_sort(now, count);
    const size_t left_out = count > LEFT_OUT ? count / LEFT_OUT : 1;
    found.tail = now[count - 1 - left_out] / was;
    found.base_tail = before[rounds->base_count - 1] / was;
    found.widened = log(found.tail) > RATIO * fmax(log(found.base_tail), log1p(threshold));
    return found;
}
