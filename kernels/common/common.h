/* common.h: helpers of all kernel families: seeded input, sizes, messages. Thread-safe, except for
 * the context: it belongs to its process's first thread. */
#pragma once
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"
#include "kgate/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The most memory that a workload may ask for in one array. */
#define KG_ARRAY_BYTES_MOST (UINT64_C(64) << 30)

/* Writes context->message: the reason of a failure. Always false. */
__attribute__((format(printf, 2, 3))) bool kg_kernel_refuse(struct kgate_context *context,
                                                            const char *format, ...);

/* a * b * size, or 0 if the product exceeds KG_ARRAY_BYTES_MOST. a and b are at least 1. */
uint64_t kg_array_bytes(int64_t a, int64_t b, uint64_t size);

/* Fills x with values uniform in [-1, 1). The seed alone determines the values, not the number of
 * threads. */
void kg_fill_floats(float *x, size_t n, uint64_t seed, unsigned threads);
/* Fills x with random words. */
void kg_fill_words(uint64_t *x, size_t n, uint64_t seed, unsigned threads);
/* Fills memory with bytes 0xff, NaN in every format: the check finds elements that a version does
 * not write, and no page is mapped later. The thread that would fill a page with values touches
 * it. */
void kg_fill_blank(void *memory, size_t bytes, unsigned threads);

/* Random source of a check's rows and projections: by KGATE_CHECK_SEED, different in each run
 * (docs/plugins.md). If it is not set, by `seed`.
 * use  number that separates the draws of one check */
struct kg_random kg_check_random(uint64_t seed, uint64_t use);

/* The larger of the two errors. NaN wins: a later error must not hide it. */
static inline double kg_worse(double a, double b)
{
    return isnan(a) || b <= a ? a : b;
}

/* An error relative to the size of the summed terms; 0 if the error is 0. */
static inline double kg_relative(double error, double size)
{
    return error > 0 ? error / size : error;
}

#ifdef __cplusplus
}
#endif
