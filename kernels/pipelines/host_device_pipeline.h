/* host_device_pipeline.h: an array goes to the GPU, is processed there, and comes back. On the GPU
 * only.
 *
 * y = p(x) for each of n = bytes / 4 floats x of the host, p(x) = 1 + x + … + x^K, K = `intensity`.
 * Horner's rule needs K multiply-adds per element. items n, bytes 2 * `bytes` (traffic of the bus),
 * flops 2 K n. Scopes: host_to_device, compute, device_to_host.
 * Versions, bit by bit the same computation:
 * pageable    ordinary memory on the host, one step after the other. The driver copies it through
 *             its own page-locked buffer, and the call waits for this copy.
 * pinned      page-locked memory, which the GPU's copy engines read and write themselves.
 * overlapped  page-locked, in `chunks` on KG_PIPELINE_STREAMS streams. One chunk goes to the GPU
 *             while another is processed and a third comes back. With two copy engines, the time is
 *             about that of the longest of the three steps.
 * Error: |y - reference| / (u e), u = eps / 2, the largest of all elements. Each step, y ← y x + 1,
 * rounds once, by at most u of the new value, and multiplies the earlier error by x. So e ← e |x| +
 * |y|, from 0. The rounding of y in this formula adds a factor of at most (1 + u)^K, 1.006 for the
 * largest K. Tolerance 1.01. It is as tight for any K, because y stays small near x = -1. There one
 * step too few changes y by |x|^K, and the tolerance is K u / 2. */
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
    /* Version `overlapped`: its own streams, and the events that join them to `stream`. */
    void *lanes[KG_PIPELINE_STREAMS];
    void *begun;
    void *done[KG_PIPELINE_STREAMS];
};

/* The first element of chunk i of `chunks`. All chunks except the last have a multiple of 256
 * bytes. */
size_t kg_host_device_chunk(size_t n, unsigned chunks, unsigned i);

/* Makes the streams and events. False with CUDA's text in context->message. */
bool kg_host_device_prepare(struct kgate_context *context, void *state);
/* Destroys the streams and events that exist, and clears CUDA's errors of this case. */
void kg_host_device_finish(struct kgate_context *context, void *state);

/* pageable, pinned: they differ only in the kind of the host's memory. */
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
