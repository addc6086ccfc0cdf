/* stats.h: estimators and tests for the medians of rounds. Pure functions of arrays; no allocation
 * but where said; thread-safe. Written up in docs/statistics.md. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* Quantile p of the n values at x by linear interpolation (Hyndman & Fan 1996, type 7). x must be
 * sorted ascending. NaN where n is 0 or p is outside 0 to 1. */
double kg_quantile_sorted(const double *x, size_t n, double p);

void kg_sort(double *x, size_t n);
double kg_median_sorted(const double *x, size_t n);
double kg_mean(const double *x, size_t n);
/* Sample standard deviation (n - 1); NaN where n < 2. */
double kg_standard_deviation(const double *x, size_t n);

enum { KG_BOOTSTRAP_MOST = 512 }; /* values; more are thinned evenly over their order */

struct kg_interval {
    double low;
    double high;
};

/* Percentile bootstrap interval, in closed form instead of by drawing, for the median of n sorted
 * values: deterministic and exact. `confidence` such as 0.95. [x, x] where n is 1. */
struct kg_interval kg_median_interval(const double *x, size_t n, double confidence);

/* What two sets of round medians say about the ratio current / base. */
struct kg_ratio {
    double ratio;                /* median(current) / median(base) */
    struct kg_interval interval; /* 95 % */
    double p_value;              /* two-sided, of "the ratio is 1" */
};

/* Both arrays sorted ascending, all values > 0, counts at least 1. The bootstrap distribution of
 * the log ratio of medians, exactly; the p-value is never below what a permutation test of so many
 * rounds could give, 2 / C(n1 + n2, n1), so that few rounds cannot look sure. */
struct kg_ratio kg_ratio_estimate(const double *base, size_t base_count, const double *current,
                                  size_t current_count);

/* Holm's step-down adjustment (Holm 1979), in place order kept: p[i] becomes the adjusted p-value.
 * NaN entries are left alone and not counted. Allocates n indices; false where memory is out. */
bool kg_holm_adjust(double *p, size_t n);

/* The scatter between runs as a share: half the width of what one more run's median may be expected
 * within, from the medians (> 0) of n runs; at most 0.5; 0 where n < 2. noise.c says why so. */
double kg_noise_floor(const double *run_medians, size_t n);
