#include "judge/compare_parts.h"

#include <math.h>

enum { RUNS_LEAST = 4 };

static double width(const double *x, size_t n)
{
    double low = x[0], high = x[0];
    for (size_t i = 1; i < n; i++) {
        low = fmin(low, x[i]);
        high = fmax(high, x[i]);
    }
    return high - low;
}

struct kg_levels kg_levels_find(const double *locations, size_t count)
{
    size_t at = 1;
    if (count < RUNS_LEAST)
        return (struct kg_levels){NAN, NAN, NAN};
    for (size_t i = 2; i < count; i++)
        if (fabs(locations[i] - locations[i - 1]) > fabs(locations[at] - locations[at - 1]))
            at = i;
    return (struct kg_levels){
        .older = kg_mean(locations, at),
        .newer = kg_mean(locations + at, count - at),
        .scatter = fmax(width(locations, at), width(locations + at, count - at)),
    };
}

void kg_levels_judge(const struct kg_levels *levels, const struct kg_location *now,
                     double threshold, struct kg_metric *metric)
{
    static const double CLEAR = 3; /* factor on the scatter of a level */
    const bool higher = metric->better == KG_BETTER_HIGHER;
    const double step = fabs(levels->newer - levels->older);
    const double worse =
        higher ? fmin(levels->older, levels->newer) : fmax(levels->older, levels->newer);
    const double beyond = higher ? worse - now->value : now->value - worse;
    const double least = fmax(log1p(threshold), CLEAR * levels->scatter);
    if (!(now->freedom > 0) || !(step > least))
        return;
    const double doubt = kg_student_point(0.025, now->freedom) * sqrt(now->variance / now->count);
    if (!(beyond > least + doubt))
        return;
    metric->step = exp(levels->newer - levels->older);
    metric->beyond = exp(now->value - worse);
}
