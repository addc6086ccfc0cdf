/* gpu_driver.h: the few functions of the CUDA driver that times on streams need, from the library
 * that the program itself uses or would use; opened once, at the first call, and never closed. The
 * driver is not initialised and no context is made: only the program's own are used. Thread-safe.
 *
 * Signatures are those of NVIDIA's driver API reference, with the types reduced to what the ABI
 * passes: handles as pointers, enums as int. Each returns one of enum kg_cuda_code, or another
 * code. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum kg_cuda_code {
    KG_CUDA_SUCCESS = 0,
    KG_CUDA_NOT_INITIALIZED = 3,
    KG_CUDA_DEINITIALIZED = 4,
    KG_CUDA_NOT_READY = 600,
    KG_CUDA_CONTEXT_IS_DESTROYED = 709,
    KG_CUDA_CAPTURE_FIRST = 900, /* up to KG_CUDA_CAPTURE_LAST: not while a stream is captured */
    KG_CUDA_CAPTURE_LAST = 908,
};

struct kg_cuda {
    int (*context_current)(void **context);
    int (*context_push)(void *context);
    int (*context_pop)(void **context);
    int (*context_id)(void *context, unsigned long long *id); /* may be NULL: before CUDA 12 */
    int (*stream_create)(void **stream, unsigned flags);
    int (*stream_destroy)(void *stream);
    int (*stream_capturing)(void *stream, int *status);
    int (*event_create)(void **event, unsigned flags);
    int (*event_destroy)(void *event);
    int (*event_record)(void *event, void *stream);
    int (*event_query)(void *event);
    int (*event_elapsed)(float *milliseconds, void *start, void *stop);
    int (*capture_mode)(int *mode); /* may be NULL: before CUDA 10.1 */
    double ticks_per_ns;            /* right within 1 % */
};

/* NULL where there is no driver. */
const struct kg_cuda *kg_cuda_open(void);

/* Whether the code says that the driver, or the context, is no more (or never was): no error of
 * ours or the program's. */
bool kg_cuda_gone(int code);

/* Whether the code says "not while a stream is being captured". */
bool kg_cuda_captured(int code);

/* How often this process was forked from one that had the driver open: handles from before a fork
 * mean nothing after it. */
unsigned kg_cuda_forks(void);

/* Lets this thread make calls that would otherwise break a capture which another thread has begun:
 * a query of an event is one, although it has nothing to do with what is captured. returns the mode
 * before, for kg_cuda_strict */
int kg_cuda_relaxed(const struct kg_cuda *cuda);
void kg_cuda_strict(const struct kg_cuda *cuda, int mode);

/* Nanoseconds a tick of ticks.h, better with every second since the driver was opened: right within
 * 0.1 % after a tenth of a millisecond, and within a millionth after a tenth of a second. */
double kg_cuda_ns_per_tick(void);

/* gpu_reference.c: where events lie on the host's clock. The driver tells only how far two events
 * are apart; so one of our own, on a stream of our own with nothing else on it, is watched as it
 * happens, and others are placed by their distance from it. Every quarter of a second it is
 * replaced by a newer one: the two clocks drift apart by some millionths, and the driver tells
 * distances as floats. */

/* One context's. Zeros are one that is not known yet. */
struct kg_gpu_reference {
    void *stream;
    void *event;
    void *spare;    /* the next one, until it is known */
    uint64_t ticks; /* when `event` happened */
    uint64_t tried; /* when a new one was last tried, in ticks */
    bool known;
};

/* Puts a new event on our stream where the last is older than a quarter of a second, and watches
 * it: some 20 us. Where the device does not get to it within 100 us, the old one stays. Failures
 * leave the reference as it was. The context is the current one. */
void kg_gpu_reference_refresh(const struct kg_cuda *cuda, struct kg_gpu_reference *reference);

/* When an event that has happened did so, in ticks; 0: not known. */
uint64_t kg_gpu_reference_ticks(const struct kg_cuda *cuda,
                                const struct kg_gpu_reference *reference, void *event,
                                double ns_per_tick);

/* Destroys what it has made. The context is the current one. */
void kg_gpu_reference_free(const struct kg_cuda *cuda, struct kg_gpu_reference *reference);
