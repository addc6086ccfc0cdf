/* sync_heavy.h: an iteration whose steps each leave a number that a caller may want to read.
 *
 * n = `elements` independent equations d x = b, d in [0.5, 1.5), by `steps` steps of Richardson's
 * iteration from x = 0, the same each call: r = b - d x, then x ← x + w r, w = 1/16. Each step also
 * gives N_s, the sum of squares of its r, in double precision. items n * steps; flops 6 n steps;
 * bytes 12 n, as b and d need be read and x written only once.
 * Versions, all with bit-identical x; N differs only by the order of its sums:
 * every_step  reads N after each step, to end at 0. GPU: copies it back and waits for the device
 *             each time. So kgate can neither delay the call by a blocking kernel nor record it as
 *             a graph. CPU: all threads add to one N and wait for each other. Scopes: step, then
 *             device_to_host and synchronise on the GPU, add and synchronise in one fork_join on
 *             the CPU.
 * once        reads all N at the end. GPU: one copy back without waiting. CPU: each thread adds up
 *             its own part, and the parts are added at the end. Scopes: step, in one fork_join on
 *             the CPU, and the copy or add.
 *
 * Error: the largest of the following, each divided by its limit from rounding. Tolerance 1.
 * |x - reference| of all elements after the last step. A step's rounding adds at most u (w |r| +
 * |x|) <= u |b| (w + 1/d), and each step keeps 1 - w d of the earlier error. So the error never
 * exceeds u |b| (1/d + 1/(w d^2)) <= 66 u |b|. Limit: 70 u |b|, u = eps / 2.
 * |sqrt(N_s) - sqrt(reference)| of all steps. The error of r is at most d times that of x, plus u
 * |b|: less than the limit 70 u sqrt(N_0).
 * |N_s - M_s| of all steps. M_s sums the same r as the versions, in an order of its own. Late in
 * the iteration r is mostly rounding, which the reference lacks, but all versions share. Squares of
 * floats are exact in double precision, and each addition rounds by at most 2^-53 of the sum.
 * Limit: n 2^-52 M_s.
 * N_s as each thread of every_step saw it after each step: must equal N_s. */
#pragma once
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/kernel.h"
#include "pipelines/host_device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* b - d x, and the x of the next step into *x. Written with fmaf, so that every version rounds
 * alike. */
static inline KG_HOST_DEVICE float kg_sync_heavy_step(float b, float d, float *x)
{
    const float r = fmaf(-d, *x, b);
    *x = fmaf(1.0F / 16, r, *x);
    return r;
}

struct kg_sync_heavy {
    struct kg_call call;
    const float *b; /* n each; on the GPU in its memory */
    const float *d;
    float *x;
    size_t n;
    unsigned steps;
    bool looks;           /* version every_step */
    double *norms;        /* N of each step, in the host's memory */
    double *device_norms; /* in the GPU's memory */
    /* A row per thread with an element per step, on the GPU one row for the host; else NULL. */
    double *seen;  /* every_step: N as the thread saw it, down to the first 0 */
    double *parts; /* CPU, once: the thread's part of N */
    size_t rows;
    size_t row_stride;
};

void kg_sync_heavy_every_step(void *state);
void kg_sync_heavy_once(void *state);

void kg_sync_heavy_cuda_every_step(void *state);
void kg_sync_heavy_cuda_once(void *state);

/* CUDA forgets the errors of calls that could not be recorded. */
void kg_sync_heavy_finish(struct kgate_context *context, void *state);

/* Equations in double precision, at most KG_SYNC_HEAVY_BLOCK: the last x, and the r^2 of each step
 * added to norms. */
enum { KG_SYNC_HEAVY_BLOCK = 256 };
void kg_sync_heavy_reference(const float *b, const float *d, size_t count, unsigned steps,
                             double *x, double *norms);
/* Adds the r^2 of the versions' steps to norms, at most KG_SYNC_HEAVY_BLOCK equations. */
void kg_sync_heavy_again(const float *b, const float *d, size_t count, unsigned steps,
                         double *norms);
/* The error of `work`, with all its arrays in the host's memory. False if memory is missing. */
bool kg_sync_heavy_error(const struct kg_sync_heavy *work, double *error);

extern const struct kgate_workload kg_kernel_sync_heavy;

#ifdef __cplusplus
}
#endif
