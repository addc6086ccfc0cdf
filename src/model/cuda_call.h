/* cuda_call.h: a call of a CUDA source's kernel: grid, block, arguments, and the expected results.
 * All values are texts from the suite: formulas (suite/sources/formula.h). In a suite they have
 * {parameter} in them, in a plan the parameter's value. Constant data; thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/record.h"
#include "model/suite.h"

enum kg_cuda_type {
    KG_CUDA_I8,
    KG_CUDA_U8,
    KG_CUDA_I16,
    KG_CUDA_U16,
    KG_CUDA_I32,
    KG_CUDA_U32,
    KG_CUDA_I64,
    KG_CUDA_U64,
    KG_CUDA_F16,  /* IEEE 754 binary16, CUDA's __half */
    KG_CUDA_BF16, /* the upper half of a binary32, CUDA's __nv_bfloat16 */
    KG_CUDA_F32,
    KG_CUDA_F64,
    KG_CUDA_TYPE_COUNT
};
extern const char *const kg_cuda_type_names[KG_CUDA_TYPE_COUNT + 1]; /* then NULL */

/* One argument of the kernel: a scalar or a buffer of device memory. */
struct kg_cuda_arg {
    const char *name; /* its name in formulas; NULL: none */
    enum kg_cuda_type type;
    const char *value; /* of a scalar; NULL: a buffer */
    const char *count; /* number of a buffer's elements */
    /* "random", "zero", "iota" or a formula of i. NULL: random; for an `out` buffer NaN, or all
     * bits set */
    const char *fill;
    bool out;                /* the kernel writes it */
    const char *expect;      /* a formula of i and the arguments' values before the call; or NULL */
    const char *expect_file; /* values of the type, little-endian, one per element; or NULL */
    struct kg_mark mark, expect_mark; /* places in the suite; in no record */
};

enum { KG_CUDA_ARGS_MOST = 64, KG_CUDA_OPTIONS_MOST = 64 };

struct kg_cuda_call {
    /* folder of the suite with a final slash, for relative paths; "" or NULL in a suite. No part
     * of the definition */
    const char *folder;
    const char *entry; /* the kernel; NULL in a suite: the workload has it */
    const char **grid; /* 1 to 3 sizes */
    size_t grid_count;
    const char **block; /* 1 to 3 sizes */
    size_t block_count;
    const char *shared;   /* dynamic shared memory: a size, or a formula in bytes; NULL: none */
    const char **options; /* of the compiler */
    size_t option_count;
    struct kg_cuda_arg *args;
    size_t arg_count;
    /* for expected values; NULL: each buffer's type has its own */
    const char *tolerance;
    const char *items, *bytes, *flops;    /* per call; NULL: not given */
    struct kg_mark grid_mark, block_mark; /* the marks are in no record */
    struct kg_mark shared_mark, options_mark, tolerance_mark, work_mark;
};

extern const struct kg_record kg_cuda_call_record;

/* The path of an argument's expect_file, in `arena`. A relative path begins in the call's
 * folder. */
const char *kg_cuda_expect_path(struct kg_arena *arena, const struct kg_cuda_call *call,
                                const struct kg_cuda_arg *arg);
