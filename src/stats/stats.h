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
/* The median of values in any order, which stay in it; `scratch` has room for n. */
double kg_median_of(const double *x, size_t n, double *scratch);
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

/* What two sets of values say about the ratio current / base. */
struct kg_ratio {
    double ratio;
    struct kg_interval interval; /* 95 % */
    double p_value;              /* two-sided, of "the ratio is 1" */
};

/* Both arrays sorted ascending, all values > 0, counts at least 1. The ratio of the two quantiles
 * `share` (0.5: medians), its interval from the bootstrap distribution of the log ratio, exactly,
 * and the p-value of kg_mann_whitney. */
struct kg_ratio kg_ratio_estimate(const double *base, size_t base_count, const double *current,
                                  size_t current_count, double share);

/* Of pairs measured together: `count` values log(current / base), in any order. The ratio is the
 * Hodges-Lehmann estimate, the median of all pairwise means (Hodges and Lehmann 1963); interval and
 * p-value are those of the signed-rank test (Wilcoxon 1945), exact. NaN where count is 0. */
struct kg_ratio kg_paired_estimate(const double *log_ratios, size_t count);

/* The rank test of two samples (Mann and Whitney 1947), two-sided, exact but for thousands of
 * pairs; ties count against. Both sorted ascending, counts at least 1. */
double kg_mann_whitney(const double *base, size_t base_count, const double *current,
                       size_t current_count);
/* The smallest p that so many values can give, all of one side beyond all of the other. */
double kg_mann_whitney_least(size_t base_count, size_t current_count);
double kg_paired_least(size_t count);

/* Holm's step-down adjustment (Holm 1979), in place order kept: p[i] becomes the adjusted p-value.
 * NaN entries are left alone and not counted. Allocates n indices; false where memory is out. */
bool kg_holm_adjust(double *p, size_t n);

/* Standard deviation of the log locations (> 0) of n runs; NaN where n < 2. */
double kg_run_scatter(const double *run_locations, size_t n);

/* What a noise floor is made from. */
struct kg_run_noise {
    double scatter; /* between `runs` runs: kg_run_scatter; not looked at where runs < 2 */
    size_t runs;
    size_t reference_runs; /* that the reference is made of: 1 for a pinned one */
    double usual;          /* scatter usual among the suite's cases; NaN where not known */
    double alpha;          /* false alarms of all tests together */
    size_t tests;
};

/* The scatter between runs as a share: half the width of what one more run may be expected within,
 * at most 0.5; NaN where neither the runs nor what is usual say anything. noise.c says why so. */
double kg_noise_floor(const struct kg_run_noise *noise);

/* Student's t for one of `tests` tests at `alpha` together, two-sided, with `freedom` degrees of
 * freedom; between 3 and 8. */
double kg_noise_factor(double alpha, size_t tests, double freedom);

/* One side of a comparison of times, for the core's pace: values and what the pace was at each. */
struct kg_paced {
    double *log_times; /* moved to pace 0 by kg_pace_correct */
    const double *log_paces;
    size_t count;
};

/* How times follow the core's pace (kg_pulse_ns). */
struct kg_pace {
    double exponent; /* a pace slower by x makes times slower by exponent * x: 0 to 1 */
    double doubt;    /* the exponent may be off by so much either way */
    double shift;    /* log pace of the current side over the base's */
};

/* Finds the exponent from the scatter within each of the sides: the ones with which it is smallest,
 * or within a tenth of that. Where the pace hardly moved within them, all fit: then it is 0.5, with
 * a doubt of 0.5. Sides are moved to the median pace of the reference's rounds.
 * sides    `count` of them, the last being the current one; all others are the reference's runs
 * scratch  room for twice as many values as all sides have together */
struct kg_pace kg_pace_correct(struct kg_paced *sides, size_t count, double *scratch);
