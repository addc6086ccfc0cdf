/* host_device_pipeline.h: an array goes to the GPU, is worked on there, and comes back. On the GPU
 * only.
 *
 * y = p(x) for each of n = bytes / 4 floats x of the host, p(x) = 1 + x + … + x^K, K = `intensity`,
 * by Horner's rule: K multiply-adds an element. items n, bytes 2 * `bytes`, what crosses the bus,
 * flops 2 K n. Scopes: host_to_device, compute, device_to_host.
 * Versions, all of the same computation, bit by bit:
 * pageable    ordinary memory on the host, one thing after the other. The driver takes it by way of
 *             a page-locked piece of its own, and the call waits while it copies into that
 * pinned      page-locked memory, which the GPU's copy engines read and write themselves
 * overlapped  page-locked, and cut into `chunks` on KG_PIPELINE_STREAMS streams, so that one chunk
 *             goes there while another is worked on and a third comes back: with two copy engines
 *             it takes hardly longer than the longest of the three
 * Error: |y - reference| / (u e), u = eps / 2, the largest of all elements. The value after each
 * step, y ← y x + 1, is rounded once, by at most u of itself, and what was wrong before is
 * multiplied by x: so e ← e |x| + |y|, from 0. That of y itself is rounded adds (1 + u)^K at most,
 * 1.006 for the largest K. Tolerance 1.01. It is as tight for any K, because near x = -1 y stays
 * small: there a step too few moves it by |x|^K, and K u / 2 is allowed. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "common/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A stream a stage of the pipeline, and one so that no stage waits for a chunk. */
enum { KG_PIPELINE_STREAMS = 4 };

struct kg_host_device_pipeline {
    struct kg_call call;
    float *input; /* the host's, n each */
    float *output;
    float *x; /* the GPU's */
    float *y;
    size_t n;
    unsigned intensity;
    unsigned chunks;
    bool pinned;
    /* Of `overlapped`: streams of its own, and the events that join them to `stream`. */
    void *lanes[KG_PIPELINE_STREAMS];
    void *begun;
    void *done[KG_PIPELINE_STREAMS];
};

/* Of what is cut into so many chunks, where chunk i begins: whole 256 bytes but for the last. */
size_t kg_host_device_chunk(size_t n, unsigned chunks, unsigned i);

/* Makes the streams and events. false with context->message: what CUDA said. */
bool kg_host_device_prepare(struct kgate_context *context, void *state);
/* Ends them; what was not made is passed over. CUDA remembers no error of this case afterwards. */
void kg_host_device_finish(struct kgate_context *context, void *state);

/* pageable, pinned: only where the host's memory lies tells them apart. */
void kg_host_device_whole(void *state);
void kg_host_device_overlapped(void *state);

/* p of n values in double precision, and e of each. n is at most KG_HOST_DEVICE_BLOCK. */
enum { KG_HOST_DEVICE_BLOCK = 256 };
void kg_host_device_reference(const float *x, size_t n, unsigned intensity, double *value,
                              double *e);

/* The largest error of y, n of any number, and the most that rounding can explain. */
#define KG_HOST_DEVICE_TOLERANCE 1.01
double kg_host_device_error(const float *x, const float *y, size_t n, unsigned intensity);

extern const struct kgate_workload kg_kernel_host_device_pipeline;

#ifdef __cplusplus
}
#endif
