#include "base/statistics/allocation.h"

#include <math.h>

#include "base/statistics/stats.h"

enum { ROUNDS_LEAST = 3 };
static const double BETWEEN_LEAST = 0.1, FIXED_SHARE = 0.25;
/* Distance of the quartiles of a normal distribution, in standard deviations. */
static const double QUARTILES_APART = 1.349;
/* The quartiles of n values lie closer, by about (n - 1.4) / n. */
static const double SHRINKAGE = 1.4;
static const double NINE_OF_TEN = 1.2816;

/* The variance of the log values, by their quartiles. Sorts `values`. */
static double variance_of(double *values, size_t count)
{
    kg_sort(values, count);
    const double apart =
        kg_quantile_sorted(values, count, 0.75) - kg_quantile_sorted(values, count, 0.25);
    const double deviation = apart / QUARTILES_APART * (double)count / ((double)count - SHRINKAGE);
    return deviation * deviation;
}

struct kg_spread kg_spread_estimate(const struct kg_round_evidence *rounds, size_t count,
                                    double *scratch)
{
    double *values = scratch, *within = scratch + count, per_time = 0;
    size_t known = 0;
    for (size_t i = 0; i < count; i++) {
        const struct kg_round_evidence *round = &rounds[i];
        if (!(round->error > 0) || !(round->measured_ns > 0) || !isfinite(round->log_value))
            continue;
        values[known] = round->log_value;
        within[known] = round->error * round->error * round->measured_ns;
        per_time += 1 / round->measured_ns;
        known++;
    }
    if (known < ROUNDS_LEAST)
        return (struct kg_spread){NAN, NAN};
    kg_sort(within, known);
    const double within_ns = kg_median_sorted(within, known);
    const double explained = within_ns * per_time / (double)known;
    const double all = variance_of(values, known);
    return (struct kg_spread){.within_ns = within_ns,
                              .between =
                                  fmax(all - explained, BETWEEN_LEAST * fmax(all, explained))};
}

double kg_spread_variance(const struct kg_spread *spread, double measured_ns)
{
    return spread->between + spread->within_ns / measured_ns;
}

double kg_allocation_length(const struct kg_spread *spread, double fixed_ns, double least_ns,
                            double most_ns)
{
    const double best = sqrt(fixed_ns * spread->within_ns / spread->between);
    if (!isfinite(best))
        return NAN;
    return fmin(most_ns, fmax(fmax(least_ns, FIXED_SHARE * fixed_ns), best));
}

double kg_allocation_rounds(double variance, double effect, double alpha, double base_rounds)
{
    const double point = kg_student_point(alpha / 2, INFINITY);
    const double reach = point + NINE_OF_TEN;
    /* the permitted variance of the difference, less the variance of the baseline's mean */
    const double left = effect * effect / (reach * reach) - variance / base_rounds;
    if (!(left > 0))
        return INFINITY;
    /* Student's t for the normal point: half its square more rounds (Guenther 1981) */
    return fmax(2, ceil(variance / left + point * point / 2));
}
