/* common.h: what the kernel families share: seeded input, sizes, messages. Thread-safe but for the
 * context, which belongs to its process's first thread. */
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

/* Says in context->message why a function returns false. Always false. */
__attribute__((format(printf, 2, 3))) bool kg_kernel_refuse(struct kgate_context *context,
                                                            const char *format, ...);

/* a * b * size, or 0 where that is above KG_ARRAY_BYTES_MOST. a and b at least 1. */
uint64_t kg_array_bytes(int64_t a, int64_t b, uint64_t size);

/* Fills x with values uniform in [-1, 1), the same for the same seed and whatever the threads. */
void kg_fill_floats(float *x, size_t n, uint64_t seed, unsigned threads);
/* Fills x with random words. */
void kg_fill_words(uint64_t *x, size_t n, uint64_t seed, unsigned threads);
/* Fills memory with bytes 0xff, NaN in every format: what is not written shows in the check, and no
 * page is mapped later. Each page is touched by the thread that would fill it with values. */
void kg_fill_blank(void *memory, size_t bytes, unsigned threads);

/* What a check draws: rows and projections, anew in each run (KGATE_CHECK_SEED, docs/plugins.md), or by
 * `seed` where nobody says.
 * use  tells the draws of one check apart */
struct kg_random kg_check_random(uint64_t seed, uint64_t use);

/* The larger of the two errors, where one that is not a number wins and stays: it must not be
 * hidden by the next. */
static inline double kg_worse(double a, double b)
{
    return isnan(a) || b <= a ? a : b;
}

/* An error relative to the size of what was added up; 0 of 0. */
static inline double kg_relative(double error, double size)
{
    return error > 0 ? error / size : error;
}

#ifdef __cplusplus
}
#endif
