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
