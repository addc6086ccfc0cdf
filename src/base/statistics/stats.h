/* stats.h: estimators and tests for the medians of rounds. Pure functions of arrays; no allocation;
 * thread-safe. Explained in docs/statistics.md. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* Quantile p of the n values at x by linear interpolation (Hyndman & Fan 1996, type 7). x must be
 * sorted ascending. NaN if n is 0 or p is outside 0 to 1. */
double kg_quantile_sorted(const double *x, size_t n, double p);

void kg_sort(double *x, size_t n);
double kg_median_sorted(const double *x, size_t n);
/* The median of values in any order, which `x` keeps; `scratch` has room for n. */
double kg_median_of(const double *x, size_t n, double *scratch);
double kg_mean(const double *x, size_t n);
/* Sample standard deviation (n - 1); NaN if n < 2. */
double kg_standard_deviation(const double *x, size_t n);

enum { KG_BOOTSTRAP_MOST = 512 }; /* values; a larger sample is thinned evenly over its order */

struct kg_interval {
    double low;
    double high;
};

/* Percentile bootstrap interval for the median of n sorted values, in closed form instead of by
 * drawing: deterministic and exact. `confidence`, for example 0.95. [x, x] if n is 1. */
struct kg_interval kg_median_interval(const double *x, size_t n, double confidence);

/* Estimate of the ratio current / base from two sets of values. */
struct kg_ratio {
    double ratio;
    struct kg_interval interval; /* 95 % */
};

/* The ratio of the two quantiles `share` (0.5: medians), and its exact interval from the
 * bootstrap distribution of the log ratio. Both arrays sorted ascending, all values > 0, counts
 * at least 1. */
struct kg_ratio kg_ratio_estimate(const double *base, size_t base_count, const double *current,
                                  size_t current_count, double share);

/* A location estimate and its precision. */
struct kg_location {
    double value; /* trimmed mean: a fifth left out at each end, none of fewer than 7 values */
    /* of one value: variance / count is the variance of `value`; NaN if count is 1 */
    double variance;
    double count;   /* number of values that were kept */
    double freedom; /* degrees of freedom of the variance */
};

/* Location of n values in ascending order. */
struct kg_location kg_location_find(const double *x, size_t n);
/* Number of values that a location of n values keeps. */
double kg_location_kept(size_t n);
/* Location of the logarithms of n values > 0 in any order. The logarithms are left in `logs`,
 * ascending; `logs` may be `values` itself. */
struct kg_location kg_log_location(const double *values, size_t n, double *logs);

/* A variance and its degrees of freedom; freedom 0: unknown. */
struct kg_variance {
    double value;
    double freedom;
};

/* The usual variance among many cases (Smyth 2004). Its freedom, at most 20, grows with the
 * similarity of the cases. Unknown if fewer than 4 variances are known. */
struct kg_variance kg_variance_usual(const struct kg_variance *variances, size_t count);

/* Sums over variances, of which older ones may weigh less. Zero-initialise. */
struct kg_log_variances {
    double weight;
    double weight_square; /* sum of the squared weights */
    double logs;          /* of the logarithms without bias */
    double squares;       /* of their squares */
    double expected;      /* of their variances by chance */
};
/* Adds a variance with weight 1; an unknown one changes nothing. */
void kg_log_variances_add(struct kg_log_variances *sum, struct kg_variance variance);
/* Multiplies all weights by `kept`. */
void kg_log_variances_decay(struct kg_log_variances *sum, double kept);
/* As kg_variance_usual, with a freedom of at most `freedom_most`. */
struct kg_variance kg_log_variances_usual(const struct kg_log_variances *sum, double freedom_most);

/* A case's own variance, moderated by the usual variance; either may be unknown. */
struct kg_variance kg_variance_moderate(struct kg_variance own, struct kg_variance usual);
/* The sum of independent variances, with the degrees of freedom of Welch and Satterthwaite. */
struct kg_variance kg_variance_sum(const struct kg_variance *parts, size_t count);

/* Student's t: P(T > t), and the t with P(T > t) = tail, for 0 < tail <= 0.5. NaN unless freedom >
 * 0. */
double kg_student_tail(double t, double freedom);
double kg_student_point(double tail, double freedom);

/* The F distribution: P(F > ratio) of two variances of the same value. NaN if a freedom is not above
 * 0 or the ratio is NaN. */
double kg_variance_ratio_tail(double ratio, double numerator_freedom, double denominator_freedom);

/* The newest points. The cases of a suite have few different points, and each takes some ten tails
 * to compute. Zero-initialise; one thread at a time. */
struct kg_student_points {
    struct {
        double tail, freedom, point;
    } kept[8];
    size_t next; /* index of the entry to replace */
};
/* The same point, kept in `points`. NULL: not kept. */
double kg_student_point_kept(struct kg_student_points *points, double tail, double freedom);

/* The rank test of two samples (Mann and Whitney 1947), two-sided, exact except for thousands of
 * pairs. Ties weaken the evidence. Both sorted ascending, counts at least 1. */
double kg_mann_whitney(const double *base, size_t base_count, const double *current,
                       size_t current_count);
/* The smallest p for these counts: every value of one side lies beyond the whole other side. */
double kg_mann_whitney_least(size_t base_count, size_t current_count);

/* Holm's step-down adjustment (Holm 1979), in place, order kept: p[i] becomes the adjusted p-value.
 * NaN entries are left alone and not counted.
 * others  number of further tests without a rejection */
void kg_holm_adjust(double *p, size_t n, size_t others);

/* The adjustment of Benjamini and Hochberg (1995), in place, order kept. If all hypotheses with an
 * adjusted p-value of at most q are rejected, the expected share of false rejections is at most q.
 * NaN entries are left alone and not counted. */
void kg_benjamini_hochberg_adjust(double *p, size_t n);

/* Standard deviation of the logarithms of n values > 0; NaN if n < 2. */
double kg_log_deviation(const double *x, size_t n);

/* One side of a comparison of times, with the clock probe's time for each value. */
struct kg_paced {
    double *log_times; /* kg_pace_correct moves them to the reference's clock */
    const double *log_paces;
    size_t count;
};

/* How times follow the core clock, as the clock probe (kg_pulse_ns) shows it. */
struct kg_pace {
    /* a log probe time higher by x makes log times higher by exponent * x: 0 to 1 */
    double exponent;
    double doubt; /* uncertainty of the exponent, in either direction */
    double shift; /* log probe time of the current side over the baseline's */
};

/* Finds the exponent from the scatter within each side: the middle of all exponents whose scatter
 * is within a tenth of the least. If the core clock hardly moved within the sides, all exponents
 * fit: the result is 0.5, with a doubt of 0.5. If the clock probe shifts by more than a factor of
 * two, the cause is no clock: both are 0. Moves all sides to the median probe time of the
 * reference's rounds.
 * sides    `count` of them; the last is the current one, all others are the reference's runs.
 * scratch  room for twice as many values as all sides have together */
struct kg_pace kg_pace_correct(struct kg_paced *sides, size_t count, double *scratch);
