/* sync_heavy.h: an iteration whose every step leaves a number that somebody may want to look at.
 *
 * n = `elements` equations d x = b, each on its own, d in [0.5, 1.5), by `steps` steps of
 * Richardson's iteration from x = 0, the same each call: r = b - d x, then x ← x + w r, w = 1/16;
 * and of each step the sum of squares N_s of its r, in double precision. items n * steps; flops
 * 6 n steps; bytes 12 n, as b and d need be read and x written only once.
 * Versions, of the same computation; x agrees bit by bit, N but for the order of its sums:
 * every_step  looks at N after each step, to end where it is 0. GPU: copies it back and waits for
 *             the device each time; the call can neither be held back nor recorded as a graph. CPU:
 *             all threads add to one N and wait for each other. Scopes: step, then device_to_host
 *             and synchronise on the GPU, add and synchronise in one fork_join on the CPU
 * once        looks at all N at the end. GPU: one copy back, nobody waits. CPU: each thread adds up
 *             its own, and all are put together at the end. Scopes: step, in one fork_join on the
 *             CPU, and the copy or add
 *
 * Error: the largest of the following, each as a share of what rounding explains. Tolerance 1.
 * |x - reference| of all elements after the last step. Rounding adds at most
 *             u (w |r| + |x|) <= u |b| (w + 1/d) to it in a step, and each step leaves 1 - w d of
 *             what is there: never more than u |b| (1/d + 1/(w d^2)) <= 66 u |b| in all. Explained
 *             are 70 u |b|, u = eps / 2
 * |sqrt(N_s) - sqrt(reference)| of all steps. The error of r is at most d times that of x and
 *             u |b|, less: 70 u sqrt(N_0)
 * |N_s - M_s| of all steps, M_s being the sum of the very r that the versions compute, in an order
 *             of its own. Late in the iteration r is mostly rounding, of which the reference knows
 *             nothing, but no less the same for all. Squares of floats are exact in double
 *             precision, and each addition is rounded by 2^-53 of the sum at most: n 2^-52 M_s
 * what every_step saw of N_s after each step, on each thread: nothing but N_s */
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
    double *device_norms; /* the same in the GPU's */
    /* Of each step, a row for each thread, and on the GPU one for the host's; else NULL. */
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
/* The r^2 of the steps that the versions take, added to norms; likewise. */
void kg_sync_heavy_again(const float *b, const float *d, size_t count, unsigned steps,
                         double *norms);
/* The error of what `work` left, with all its arrays in the host's memory. false where memory is
 * out. */
bool kg_sync_heavy_error(const struct kg_sync_heavy *work, double *error);

extern const struct kgate_workload kg_kernel_sync_heavy;

#ifdef __cplusplus
}
#endif
