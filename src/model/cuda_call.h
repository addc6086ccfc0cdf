/* cuda_call.h: how the kernel of a CUDA source is called: grid, block, arguments, and what its
 * results must be. All of it are texts as the suite has them: formulas (suite/sources/formula.h), in a
 * suite with {parameter} in them, in a plan with its value. Constant data; thread-safe. */
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
    const char *name; /* by which formulas call it; NULL: they cannot */
    enum kg_cuda_type type;
    const char *value;  /* of a scalar; NULL: a buffer */
    const char *count;  /* of a buffer's elements */
    const char *fill;   /* "random", "zero", "iota" or a formula of i; NULL: random, of an `out`
                              * buffer NaN or all bits set */
    bool out;           /* the kernel writes it */
    const char *expect; /* a formula of i and the arguments as they were before; or NULL */
    const char *expect_file; /* values of the type, little-endian, one an element; or NULL */
    struct kg_mark mark, expect_mark; /* in the suite; in no record */
};

enum { KG_CUDA_ARGS_MOST = 64, KG_CUDA_OPTIONS_MOST = 64 };

struct kg_cuda_call {
    const char *folder; /* of the suite, ended by a slash, where relative paths begin; "" or NULL in
                         * a suite. No part of the definition */
    const char *entry;  /* the kernel; NULL in a suite, where it is the workload's */
    const char **grid;  /* 1 to 3 */
    size_t grid_count;
    const char **block; /* likewise */
    size_t block_count;
    const char *shared;   /* dynamic shared memory: a size, or a formula in bytes; NULL: none */
    const char **options; /* of the compiler */
    size_t option_count;
    struct kg_cuda_arg *args;
    size_t arg_count;
    const char *tolerance;             /* of what is expected; NULL: that of each buffer's type */
    const char *items, *bytes, *flops; /* of a call; NULL: not said */
    struct kg_mark grid_mark, block_mark; /* these in no record */
    struct kg_mark shared_mark, options_mark, tolerance_mark, work_mark;
};

extern const struct kg_record kg_cuda_call_record;

/* The path of an argument's expect_file, from the call's folder where it is relative; in `arena`. */
const char *kg_cuda_expect_path(struct kg_arena *arena, const struct kg_cuda_call *call,
                                const struct kg_cuda_arg *arg);
