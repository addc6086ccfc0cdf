/* device.h: common functions of the CUDA versions. Every build has it: without CUDA the functions
 * refuse, and no workload offers the GPU. Plain C interface; first thread only. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "kgate/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The devices of a kernel that has CUDA versions. */
#ifdef KGATE_HAVE_CUDA
#define KG_KERNEL_DEVICES (1U << KGATE_DEVICE_CPU | 1U << KGATE_DEVICE_CUDA)
#else
#define KG_KERNEL_DEVICES (1U << KGATE_DEVICE_CPU)
#endif

/* A version's function for the GPU, in a table of versions: NULL if the build has no CUDA. */
#ifdef KGATE_HAVE_CUDA
#define KG_CUDA_VERSION(function) (function)
#else
#define KG_CUDA_VERSION(function) NULL
#endif

/* Clears CUDA's errors from earlier cases of the process. A set-up calls it first. A call that
 * cannot be recorded into a graph leaves an error behind, and kg_device_good would blame this case.
 * A case of the CPU calls no CUDA function: the first call would load the driver. */
void kg_device_begin(const struct kgate_context *context);

/* Copy `bytes` and wait. On failure false with CUDA's text in context->message. */
bool kg_device_upload(struct kgate_context *context, void *device, const void *host, size_t bytes);
bool kg_device_download(struct kgate_context *context, void *host, const void *device,
                        size_t bytes);

/* Fills device memory with bytes 0xff, NaN in every format: the check finds elements that a version
 * does not write. */
bool kg_device_poison(struct kgate_context *context, void *device, size_t bytes);

/* Waits for the stream. False if a launch or its work failed since the last call. `run` returns
 * nothing, so `check` asks. */
bool kg_device_good(struct kgate_context *context);

/* How many multiprocessors the GPU has. */
bool kg_device_processors(struct kgate_context *context, unsigned *processors);

/* Accesses in flight per thread, for a kernel with `accesses` accesses in blocks of `threads`. The
 * result is `most`, a power of two. If this gives fewer than two blocks per processor, it is halved
 * until there are enough. */
unsigned kg_device_flight(size_t accesses, unsigned threads, unsigned most, unsigned processors);

/* The input of kg_fill_words in host memory; the caller frees it with free().
 * NULL with context->message. The check makes the input again, so that large inputs need not be
 * kept. A kernel that overwrites its input then fails the check. */
uint64_t *kg_device_input_words(struct kgate_context *context, size_t n, uint64_t seed);

/* Device memory with the same input, for context->release_device. NULL with context->message. */
uint64_t *kg_device_words(struct kgate_context *context, size_t n, uint64_t seed);

/* Device memory for results, filled by kg_device_poison, for context->release_device. NULL with
 * context->message. */
void *kg_device_blank(struct kgate_context *context, size_t bytes);

/* Waits for the stream and copies device memory to the host. The caller frees it with free(). NULL
 * with context->message if the copy or earlier work failed. */
void *kg_device_fetch(struct kgate_context *context, const void *device, size_t bytes);

/* Refuses a version that only the other device has, in `describe`: false with context->message and
 * context->unavailable. */
bool kg_device_refuse_version(struct kgate_context *context, const char *version);

#ifdef __cplusplus
}
#endif
