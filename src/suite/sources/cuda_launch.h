/* cuda_launch.h: a call of a CUDA source in numbers: what its texts, with parameters put in, come
 * to. Pure; thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/cuda_call.h"
#include "suite/sources/formula.h"

/* cuda_values.c: the elements of a CUDA source's arguments as bytes, and what fills its buffers.
 * Pure; thread-safe. */

/* Bytes of an element: 1, 2, 4 or 8. */
size_t kg_cuda_type_bytes(enum kg_cuda_type type);
bool kg_cuda_type_whole(enum kg_cuda_type type);

/* The error that a check allows where the suite says none: 0 of whole types, 4 epsilon of floats.
 * Each rounding errs by half an epsilon at most (Goldberg 1991, "Units in the last place"), so that is
 * room for eight: for an element that takes a few operations, not for one that sums a row. */
double kg_cuda_type_tolerance(enum kg_cuda_type type);

/* Writes the value as an element, as C converts it: rounded once to the nearest float, of two to the
 * even one, beyond the largest to infinity; cut to a whole number. What is outside of a whole type's
 * range becomes its least or largest, NaN 0. A float's NaN keeps its sign and its first bits, quiet. */
void kg_cuda_value_store(enum kg_cuda_type type, double value, void *element);
/* Reads an element. Of 64-bit whole numbers beyond 2^53 the nearest double. */
double kg_cuda_value_load(enum kg_cuda_type type, const void *element);

/* Whether a whole type holds the value exactly; any value of a float. */
bool kg_cuda_value_fits(enum kg_cuda_type type, double value);

/* What a buffer is filled with. Element i depends on nothing but i, so that a part can be made again. */
struct kg_cuda_fill {
    enum kg_cuda_type type;
    bool blank;                       /* every bit set: NaN in floats */
    const struct kg_formula *formula; /* of i; NULL: random, or blank */
    uint64_t seed;                    /* of random */
};

/* Makes a fill of a text.
 * text     kg_cuda_arg.fill
 * number   of the argument: each has other random values
 * returns  false with KG_ERROR_USAGE where it is no fill */
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
    uint64_t scalar;          /* its bytes, from the first on */
    double value;             /* of a scalar, as the kernel reads it */
    size_t count;             /* elements of a buffer, at least 1 */
    struct kg_cuda_fill fill; /* of a buffer */
    bool out;
    double tolerance;                /* of what is expected of a buffer */
    const struct kg_formula *expect; /* names are the arguments by number; NULL: none */
    const char *expect_file;         /* with its folder; NULL: none */
    const char *name;                /* may be NULL */
};

struct kg_cuda_launch {
    unsigned grid[3], block[3], shared_bytes;
    double items, bytes, flops; /* 0: not said */
    struct kg_cuda_argument *args;
    size_t arg_count;
};

/* Evaluates all formulas.
 * arena  owns what is pointed to, besides texts of the call
 * seed   of random fills
 * at     where in the suite the mistake is, if there is one
 * false  KG_ERROR_USAGE where a text is no formula, or its value not possible; */
bool kg_cuda_launch_make(struct kg_arena *arena, const struct kg_cuda_call *call, uint64_t seed,
                         struct kg_cuda_launch *launch, struct kg_mark *at, struct kg_error *err);

/* What a formula says element i of argument `number` is after a call; NaN where it gives no number.
 * The argument has `expect`. */
double kg_cuda_expected(const struct kg_cuda_launch *launch, size_t number, size_t i);

/* Whether any argument has something that it must be. */
bool kg_cuda_expects(const struct kg_cuda_launch *launch);
