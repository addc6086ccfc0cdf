/* gpu_driver.h: the few functions of the CUDA driver for times on streams. They come from the library
 * that the program itself uses or would use. It is opened once, at the first call, and never closed. The
 * library initialises no driver and makes no context: it only uses the program's. Thread-safe.
 *
 * Signatures follow NVIDIA's driver API reference, reduced to the types of the ABI: handles as
 * pointers, enums as int. Each function returns one of enum kg_cuda_code, or another code. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
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
    int (*memory_info)(size_t *free_bytes, size_t *total_bytes); /* may be NULL */
    int (*capture_mode)(int *mode);                              /* may be NULL: before CUDA 10.1 */
    double ticks_per_ns;                                         /* right within 1 % */
};

/* NULL if there is no driver. */
const struct kg_cuda *kg_cuda_open(void);

/* Whether the code says that the driver or the context does not exist (any more). That is no error of
 * the library or the program. */
bool kg_cuda_gone(int code);

/* Whether the code says "not while a stream is being captured". */
bool kg_cuda_captured(int code);

/* Number of forks since the driver was opened, in this process and its parents: handles from before a
 * fork are invalid after it. */
unsigned kg_cuda_forks(void);

/* Lets this thread make calls that would otherwise break another thread's capture. The query of an event
 * is such a call, even if its event is not part of the capture.
 * returns the mode before, for kg_cuda_strict */
int kg_cuda_relaxed(const struct kg_cuda *cuda);
void kg_cuda_strict(const struct kg_cuda *cuda, int mode);

/* Nanoseconds per tick of ticks.h. The error falls with the time since the driver was opened: 0.1 %
 * after a tenth of a millisecond, a millionth after a tenth of a second. */
double kg_cuda_ns_per_tick(void);

/* gpu_reference.c: places events on the host's clock. The driver only gives the time between two
 * events. So the library puts a reference event on an empty stream, and watches when it happens. The
 * distance to this event gives another event's time. The library renews the reference event every
 * quarter of a second, for two reasons: the two clocks drift apart by some millionths, and the driver
 * gives distances as floats. */

/* The reference of one context. All zeros: not known yet. */
struct kg_gpu_reference {
    void *stream;
    void *event;
    void *spare;    /* the next event, until its time is known */
    uint64_t ticks; /* time of `event` */
    uint64_t tried; /* time of the last try to make a new event, in ticks */
    bool known;
};

/* If the last event is older than a quarter of a second, watches a new event on the stream: some 20
 * us. If the device does not reach it within 100 us, the old one stays. Failures leave the
 * reference as it was. The context must be current. */
void kg_gpu_reference_refresh(const struct kg_cuda *cuda, struct kg_gpu_reference *reference);

/* The time of an event that has happened, in ticks; 0: not known. */
uint64_t kg_gpu_reference_ticks(const struct kg_cuda *cuda,
                                const struct kg_gpu_reference *reference, void *event,
                                double ns_per_tick);

/* Destroys the reference's events and stream. The context must be current. */
void kg_gpu_reference_free(const struct kg_cuda *cuda, struct kg_gpu_reference *reference);
