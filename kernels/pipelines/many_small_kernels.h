/* many_small_kernels.h: a chain of small steps over a small array, each dependent on the one
 * before. Most of the time is the cost to start and to end work.
 *
 * n = `elements` oscillators, each with position x and velocity v, take `steps` steps of the
 * symplectic Euler method: v ← v - h x, then x ← x + h v, h = 1/16, from the same start each call.
 * items n * steps; flops 4 n steps; bytes 16 n, as x and v need be read and written only once.
 * Versions, bit by bit the same computation:
 * launches  GPU: a kernel per step, each launched by the host. CPU: a parallel region per step, so
 *           threads fork and join each time. Scopes: fork_join, step
 * graph     GPU only: the same kernels recorded once as a CUDA graph, which is one launch
 * fused     GPU: one kernel, CPU: one parallel region, in which each thread takes its part through
 *           all steps. Scopes: steps, on the CPU in one fork_join
 * Error: the larger of |x - reference| and |v - reference|, over sqrt(x0^2 + v0^2), of all
 * elements. A step adds at most u |v| to the error of v and u |x| to that of x. The error of v adds
 * h times itself to that of x. Steps keep x^2 + v^2 - h x v. So any number of steps enlarges error
 * and state by less than sqrt((1 + h/2) / (1 - h/2)) < 1.033. After all steps the error is at most
 * steps (1 + h) 1.033^2 u < 1.14 steps u. Tolerance 1.25 steps u, u = eps / 2. */
#pragma once
#include <math.h>
#include <stddef.h>

#include "common/kernel.h"
#include "pipelines/host_device.h"

#ifdef __cplusplus
extern "C" {
#endif

struct kg_oscillator {
    float x;
    float v;
};

/* One step. Written with fmaf, so that every version rounds alike. */
static inline KG_HOST_DEVICE struct kg_oscillator kg_oscillator_step(struct kg_oscillator from)
{
    const float h = 1.0F / 16;
    struct kg_oscillator to;
    to.v = fmaf(-h, from.x, from.v);
    to.x = fmaf(h, to.v, from.x);
    return to;
}

struct kg_many_small_kernels {
    struct kg_call call;
    const struct kg_oscillator *start; /* n each; on the GPU in its memory */
    struct kg_oscillator *now;
    size_t n;
    unsigned steps;
    void *graph; /* of the version `graph`: ready to be launched */
};

void kg_many_small_kernels_launches(void *state);
void kg_many_small_kernels_fused(void *state);

void kg_many_small_kernels_cuda_launches(void *state);
void kg_many_small_kernels_cuda_graph(void *state);
void kg_many_small_kernels_cuda_fused(void *state);

/* Records the graph if the version is `graph`. False with CUDA's text in context->message. */
bool kg_many_small_kernels_prepare(struct kgate_context *context, void *state);
/* Destroys the graph and clears CUDA's errors of this case. */
void kg_many_small_kernels_finish(struct kgate_context *context, void *state);

/* States after `steps` steps in double precision, of at most KG_MANY_SMALL_KERNELS_BLOCK
 * oscillators. */
enum { KG_MANY_SMALL_KERNELS_BLOCK = 256 };
void kg_many_small_kernels_reference(const struct kg_oscillator *start, size_t count,
                                     unsigned steps, double *x, double *v);

extern const struct kgate_workload kg_kernel_many_small_kernels;

#ifdef __cplusplus
}
#endif
