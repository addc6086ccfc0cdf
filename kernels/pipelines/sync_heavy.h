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
 *             and synchronise on the GPU, add and synchronise on the CPU
 * once        looks at all N at the end. GPU: one copy back, nobody waits. CPU: each thread adds up
 *             its own, and all are put together at the end. Scopes: step, and the copy or add
 *
 * Error: the largest of |x - reference| / |b| of all elements after the last step, and of
 * |sqrt(N_s) - sqrt(reference)| / sqrt(N_0) of all steps. Rounding adds at most
 * u (w |r| + |x|) <= u |b| (w + 1/d) to the error of x in a step, and each step leaves 1 - w d of
 * what is there: never more than u |b| (1/d + 1/(w d^2)) <= 66 u |b| in all; that of r is at most
 * d times that and u |b|, less. Sums in double precision add nothing to speak of. Tolerance 70 u,
 * u = eps / 2. */
#pragma once
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "kgate/plugin.h"
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
    const float *b; /* n each; on the GPU in its memory */
    const float *d;
    float *x;
    size_t n;
    unsigned steps;
    int threads;
    double *norms;        /* N of each step, in the host's memory */
    double *device_norms; /* the same in the GPU's */
    double *parts;        /* CPU, `once`: N of each step and thread, a row a thread */
    size_t parts_stride;
    void (*version)(const struct kg_sync_heavy *work);
    void *stream;
};

void kg_sync_heavy_every_step(const struct kg_sync_heavy *work);
void kg_sync_heavy_once(const struct kg_sync_heavy *work);

void kg_sync_heavy_cuda_every_step(const struct kg_sync_heavy *work);
void kg_sync_heavy_cuda_once(const struct kg_sync_heavy *work);

/* CUDA forgets the errors of calls that could not be recorded. */
void kg_sync_heavy_finish(void);

/* One equation in double precision: adds r^2 of each step to norms, and gives the last x. */
double kg_sync_heavy_reference(double b, double d, unsigned steps, double *norms);

extern const struct kgate_workload kg_kernel_sync_heavy;

#ifdef __cplusplus
}
#endif
