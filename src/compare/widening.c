/* A program that is ten times slower in a fifth of its processes keeps its median, and the mean that
 * decides leaves its slow rounds out. No interval tells it: it is wide, or inside the threshold. So
 * the slow rounds are looked for themselves. The ratio was chosen on one half of the public sets
 * (docs/statistics.md). */
#include "compare/widening.h"

#include <math.h>
#include <string.h>

#include "stats/stats.h"

enum { ROUNDS_LEAST = 5, LEFT_OUT = 10 };
static const double RATIO = 6;

static double *sorted(const double *values, size_t count, double *scratch)
{
    memcpy(scratch, values, count * sizeof *values);
    kg_sort(scratch, count);
    return scratch;
}

struct kg_widening kg_widening_find(const double *base, size_t base_count, const double *current,
                                    size_t current_count, double threshold, double *scratch)
{
    struct kg_widening found = {.tail = NAN, .base_tail = NAN};
    if (base_count < ROUNDS_LEAST || current_count < ROUNDS_LEAST)
        return found;
    const double *before = sorted(base, base_count, scratch);
    const double *now = sorted(current, current_count, scratch + base_count);
    const size_t left_out = current_count > LEFT_OUT ? current_count / LEFT_OUT : 1;
    const double was = kg_median_sorted(before, base_count);
    const double is = kg_median_sorted(now, current_count);
    found.tail = now[current_count - 1 - left_out] / fmax(was, is);
    found.base_tail = before[base_count - 1] / was;
    found.widened = log(found.tail) > RATIO * fmax(log(found.base_tail), log1p(threshold));
    return found;
}
