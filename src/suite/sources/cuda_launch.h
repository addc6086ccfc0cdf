/* cuda_launch.h: a call of a CUDA source in numbers: what its texts, with parameters put in, come
 * to. Pure; thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/cuda_call.h"
#include "suite/sources/cuda_values.h"
#include "suite/sources/formula.h"

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
 * false  KG_ERROR_USAGE where a text is no formula, or its value not possible; KG_ERROR_MEMORY */
bool kg_cuda_launch_make(struct kg_arena *arena, const struct kg_cuda_call *call, uint64_t seed,
                         struct kg_cuda_launch *launch, struct kg_mark *at, struct kg_error *err);

/* What a formula says element i of argument `number` is after a call; NaN where it gives no number.
 * The argument has `expect`. */
double kg_cuda_expected(const struct kg_cuda_launch *launch, size_t number, size_t i);

/* Whether any argument has something that it must be. */
bool kg_cuda_expects(const struct kg_cuda_launch *launch);
