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
};

/* Both arrays sorted ascending, all values > 0, counts at least 1. The ratio of the two quantiles
 * `share` (0.5: medians), and its interval from the bootstrap distribution of the log ratio,
 * exactly. */
struct kg_ratio kg_ratio_estimate(const double *base, size_t base_count, const double *current,
                                  size_t current_count, double share);

/* Where values lie, and what that is known by. */
struct kg_location {
    double value; /* the trimmed mean: a fifth left out at each end, of fewer than 7 values none */
    double variance; /* of a value, such that variance / count is that of `value`; NaN of one */
    double count;    /* values that were not left out */
    double freedom;  /* degrees of freedom of the variance */
};

/* Of n values in ascending order. */
struct kg_location kg_location_find(const double *x, size_t n);
/* Of the logarithms of n values > 0 in any order; they are left in `logs`, in ascending order, which
 * may be `values` itself. */
struct kg_location kg_log_location(const double *values, size_t n, double *logs);

/* A variance and what it is worth; freedom 0: unknown. */
struct kg_variance {
    double value;
    double freedom;
};

/* What is usual among variances of many cases (Smyth 2004): freedom says how much a case's own may
 * be expected to be like it, at most 20. Unknown where fewer than 4 of them are known. */
struct kg_variance kg_variance_usual(const struct kg_variance *variances, size_t count);
/* A case's own variance, moderated by what is usual; either may be unknown. */
struct kg_variance kg_variance_moderate(struct kg_variance own, struct kg_variance usual);
/* The sum of independent ones, with the degrees of freedom of Welch and Satterthwaite. */
struct kg_variance kg_variance_sum(const struct kg_variance *parts, size_t count);

/* Student's t: P(T > t), and the t beyond which a tail of 0 < tail <= 0.5 lies. freedom > 0, else
 * NaN. */
double kg_student_tail(double t, double freedom);
double kg_student_point(double tail, double freedom);

/* The points that were asked for last: the cases of a suite have few different ones between them, each of
 * which takes some ten of the tails. Zero-initialise; of one thread at a time. */
struct kg_student_points {
    struct {
        double tail, freedom, point;
    } kept[8];
    size_t next; /* to be replaced */
};
/* The same point, kept in `points`, which may be NULL. */
double kg_student_point_kept(struct kg_student_points *points, double tail, double freedom);

/* The rank test of two samples (Mann and Whitney 1947), two-sided, exact but for thousands of
 * pairs; ties count against. Both sorted ascending, counts at least 1. */
double kg_mann_whitney(const double *base, size_t base_count, const double *current,
                       size_t current_count);
/* The smallest p that so many values can give, all of one side beyond all of the other. */
double kg_mann_whitney_least(size_t base_count, size_t current_count);

/* Holm's step-down adjustment (Holm 1979), in place, order kept: p[i] becomes the adjusted p-value.
 * NaN entries are left alone and not counted.
 * others  number of further tests, none of which is rejected */
void kg_holm_adjust(double *p, size_t n, size_t others);

/* Standard deviation of the logarithms of n values > 0; NaN where n < 2. */
double kg_log_deviation(const double *x, size_t n);

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
 * a doubt of 0.5. A pace that shifts by more than a factor of two is no clock: both are 0 then.
 * Sides are moved to the median pace of the reference's rounds.
 * sides    `count` of them, the last being the current one; all others are the reference's runs
 * scratch  room for twice as many values as all sides have together */
struct kg_pace kg_pace_correct(struct kg_paced *sides, size_t count, double *scratch);
