/* cuda_launch.h: evaluates the texts of a CUDA source's call, with their parameters expanded, to numbers. Pure;
 * thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/cuda_call.h"
#include "suite/sources/formula.h"

/* cuda_values.c: the elements of a CUDA source's arguments as bytes, and the values that fill buffers. Pure;
 * thread-safe. */

/* Size of an element in bytes: 1, 2, 4 or 8. */
size_t kg_cuda_type_bytes(enum kg_cuda_type type);
bool kg_cuda_type_whole(enum kg_cuda_type type);

/* The default tolerance of a check: 0 for whole types, 4 epsilon for floats. One rounding errs by at most half an
 * epsilon (Goldberg 1991, "Units in the last place"), so 4 epsilon allow eight roundings. That suits an element of few
 * operations, not the sum of a row. */
double kg_cuda_type_tolerance(enum kg_cuda_type type);

/* Converts the value to an element, like C. A float is rounded once, ties to even; beyond the largest float it becomes
 * infinity. A NaN stays a quiet NaN with its sign and first bits. For a whole type the fraction is cut, a value out of
 * range becomes the nearest limit, and NaN becomes 0. */
void kg_cuda_value_store(enum kg_cuda_type type, double value, void *element);
/* Reads an element. A 64-bit whole number beyond 2^53 becomes the nearest double. */
double kg_cuda_value_load(enum kg_cuda_type type, const void *element);

/* Whether a whole type can represent the value exactly. Always true for floats. */
bool kg_cuda_value_fits(enum kg_cuda_type type, double value);

/* The initial values of a buffer. Element i depends only on i, so kgate can compute any part again. */
struct kg_cuda_fill {
    enum kg_cuda_type type;
    bool blank;                       /* every bit set: NaN in floats */
    const struct kg_formula *formula; /* formula of i; NULL: random, or blank */
    uint64_t seed;                    /* seed of random values */
};

/* Makes a fill from arg->fill.
 * number   index of the argument, so that each argument has other random values
 * returns  false with KG_ERROR_USAGE if the text is no fill */
bool kg_cuda_fill_make(struct kg_arena *arena, const struct kg_cuda_arg *arg, size_t number,
                       uint64_t seed, struct kg_cuda_fill *fill, struct kg_error *err);

/* Writes elements first … first + count - 1. */
void kg_cuda_fill_write(const struct kg_cuda_fill *fill, size_t first, size_t count,
                        void *elements);
/* Element i as a kernel reads it. */
double kg_cuda_fill_value(const struct kg_cuda_fill *fill, size_t i);

struct kg_cuda_argument {
    bool buffer;
    enum kg_cuda_type type;
    uint64_t scalar;          /* bytes of a scalar, from the first byte on */
    double value;             /* value of a scalar as the kernel reads it */
    size_t count;             /* number of a buffer's elements, at least 1 */
    struct kg_cuda_fill fill; /* initial values of a buffer */
    bool out;
    double tolerance;                /* allowed error of a buffer's elements */
    const struct kg_formula *expect; /* names are the arguments by number; NULL: none */
    const char *expect_file;         /* path with folder; NULL: none */
    const char *name;                /* may be NULL */
};

struct kg_cuda_launch {
    unsigned grid[3], block[3], shared_bytes;
    double items, bytes, flops; /* amounts per call; 0: unknown */
    struct kg_cuda_argument *args;
    size_t arg_count;
};

/* Evaluates all formulas of a call.
 * arena    owns the arguments and formulas; texts are borrowed from the call
 * seed     seed of random fills
 * at       on failure: place of the wrong text in the suite.
 * returns  false with KG_ERROR_USAGE if a text is no formula or its value is impossible */
bool kg_cuda_launch_make(struct kg_arena *arena, const struct kg_cuda_call *call, uint64_t seed,
                         struct kg_cuda_launch *launch, struct kg_mark *at, struct kg_error *err);

/* The expected value of element i after a call, by the `expect` formula of argument `number`. NaN if the formula gives
 * no number. */
double kg_cuda_expected(const struct kg_cuda_launch *launch, size_t number, size_t i);

/* Whether any argument has expected values. */
bool kg_cuda_expects(const struct kg_cuda_launch *launch);
