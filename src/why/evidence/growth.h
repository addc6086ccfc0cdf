/* growth.h: how time and memory of a sweep grow with its parameter. Pure functions; no
 * allocation. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* Measures of a call's work. KG_SWEEP_PARAMETER: nothing else is known. */
#define KG_SWEEP_FLOPS "flops"
#define KG_SWEEP_PARAMETER "the parameter"

/* One size of a sweep; NaN: unknown. */
struct kg_sweep_point {
    double parameter; /* above 0 */
    double time_ns;   /* above 0 */
    double items;
    double bytes;
    double flops;
    double peak_bytes;
    double noise; /* minimum difference of two times, as a share, that is not noise */
};

/* Growth of a whole sweep; NaN: unknown. */
struct kg_growth {
    double time; /* exponent of time over the work of a call */
    double log;  /* exponent of n log n over n, with n the work of a call */
    double work; /* exponent of the work over the parameter */
    double bytes;
    double memory;
    double spread; /* slowest over fastest time */
    double smallest_ns;
    double smallest_work; /* kg_sweep_work of the first point */
    double fixed_ns;
    const struct kg_sweep_point *smallest;
    size_t work_offset; /* offset of the point's member that measures the work */
};

/* Finds the growth of a sweep.
 * points   at least 2, by ascending parameter, without duplicates
 * returns  false if the parameter does not change the work of a call: no sweep of sizes */
bool kg_growth_find(const struct kg_sweep_point *points, size_t count, struct kg_growth *growth);

/* The part of the point's peak memory that grows with the bytes of a call. The rest grows with
 * the square of the parameter: M = a bytes + b parameter^2 through the smallest point and this
 * one. NaN: unknown or impossible. */
double kg_sweep_linear_bytes(const struct kg_growth *growth, const struct kg_sweep_point *point);

/* n log n, adjusted to be above 0 for n of at least 1. */
double kg_n_log_n(double n);

/* Work of a call of this point, in the measure of the growth. */
double kg_sweep_work(const struct kg_growth *growth, const struct kg_sweep_point *point);

/* Name of that measure: KG_SWEEP_FLOPS, "items", "bytes" or KG_SWEEP_PARAMETER. */
const char *kg_sweep_measure(const struct kg_growth *growth);
