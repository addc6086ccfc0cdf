/* many_small_kernels.h: a chain of small steps, each of which needs the one before, over an array
 * that is soon done with: what it takes to start work and to end it is most of the time.
 *
 * n = `elements` oscillators, each with position x and velocity v, take `steps` steps of the
 * symplectic Euler method: v ← v - h x, then x ← x + h v, h = 1/16, from the same start each call.
 * items n * steps; flops 4 n steps; bytes 16 n, as x and v need be read and written only once.
 * Versions, all of the same computation, bit by bit:
 * launches  GPU: a kernel a step, each launched by the host. CPU: a parallel region a step: threads
 *           are called together and wait for each other each time. Scopes: fork_join, step
 * graph     GPU only: the same kernels recorded once as a CUDA graph, which is one launch
 * fused     GPU: one kernel, CPU: one parallel region, in which each thread takes its part through
 *           all steps. Scopes: steps, on the CPU in one fork_join
 * Error: the larger of |x - reference| and |v - reference| by sqrt(x0^2 + v0^2), of all elements.
 * A step adds at most u |v| and u |x| to the errors of v and x, the former once more by h to that
 * of x. Steps keep x^2 + v^2 - h x v, so that they enlarge neither error nor state by more than
 * sqrt((1 + h/2) / (1 - h/2)) < 1.033, however many: after all of them the error is at most
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

/* Records the graph where the version is of that. false with context->message: what CUDA said. */
bool kg_many_small_kernels_prepare(struct kgate_context *context, void *state);
/* Ends it. CUDA remembers no error of this case afterwards. */
void kg_many_small_kernels_finish(struct kgate_context *context, void *state);

/* Where oscillators are after so many steps, in double precision; at most
 * KG_MANY_SMALL_KERNELS_BLOCK of them. */
enum { KG_MANY_SMALL_KERNELS_BLOCK = 256 };
void kg_many_small_kernels_reference(const struct kg_oscillator *start, size_t count,
                                     unsigned steps, double *x, double *v);

extern const struct kgate_workload kg_kernel_many_small_kernels;

#ifdef __cplusplus
}
#endif
