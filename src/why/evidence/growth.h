/* growth.h: how a sweep's figures grow with its parameter. Pure functions; no allocation. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* What a call does is told in; "the parameter" where nothing else is known. */
#define KG_SWEEP_FLOPS "flops"
#define KG_SWEEP_PARAMETER "the parameter"

/* One size of a sweep; NaN where not known. */
struct kg_sweep_point {
    double parameter; /* above 0 */
    double time_ns;   /* above 0 */
    double items;
    double bytes;
    double flops;
    double peak_bytes;
    double noise; /* the share that two times must differ by to be different */
};

/* What a sweep says as a whole; NaN where it does not say it. */
struct kg_growth {
    double time; /* exponent of time over what a call does */
    double log;  /* exponent of n log n over n, n being what a call does */
    double work; /* of that over the parameter */
    double bytes;
    double memory;
    double spread; /* slowest over fastest */
    double smallest_ns;
    double smallest_work; /* what a call of the first point does: kg_sweep_work of it */
    double fixed_ns;
    const struct kg_sweep_point *smallest;
    size_t work_offset; /* of the member that says what a call does */
};

/* points  at least 2, by ascending parameter, no two of one parameter
 * returns false where the parameter does not change what a call does: this is no sweep of sizes */
bool kg_growth_find(const struct kg_sweep_point *points, size_t count, struct kg_growth *growth);

/* Of the peak memory of that point what grows with the bytes of a call, where all else grows with
 * the square of the parameter: M = a bytes + b parameter^2 through the smallest point and this one.
 * NaN where that cannot be told, or makes no sense. */
double kg_sweep_linear_bytes(const struct kg_growth *growth, const struct kg_sweep_point *point);

/* n log n for a count of at least 1, and more than 0 there. */
double kg_n_log_n(double n);

/* What a call of that point does, by the measure that the growth was found with. */
double kg_sweep_work(const struct kg_growth *growth, const struct kg_sweep_point *point);

/* What that measure is called: KG_SWEEP_FLOPS, "items", "bytes" or KG_SWEEP_PARAMETER. */
const char *kg_sweep_measure(const struct kg_growth *growth);
