#include "fake_cuda.h"

#include <stddef.h>
#include <string.h>

enum { CONTEXTS_MOST = 64, STREAMS_MOST = 256, EVENTS_MOST = 16384, STACK_MOST = 8 };
enum {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    INVALID_CONTEXT = 201,
    INVALID_HANDLE = 400,
    NOT_READY = 600,
    CONTEXT_IS_DESTROYED = 709,
    CAPTURE_UNSUPPORTED = 900,
    CAPTURE_IMPLICIT = 906,
};
enum { MODE_GLOBAL = 0, MODE_RELAXED = 2, RECORD_NS = 3000 };

struct context {
    bool alive;
    unsigned long long id;
};

struct stream {
    bool alive;
    bool ours; /* made by cuStreamCreate, not by the test */
    bool blocking;
    bool captured;
    bool held;
    unsigned long long context; /* its id */
    double busy_until;          /* on the device's clock */
};

struct event {
    bool alive;
    bool recorded;
    unsigned long long context;
    const struct stream *stream;
    double time;
};

static struct context contexts[CONTEXTS_MOST];
static struct stream streams[STREAMS_MOST]; /* the first CONTEXTS_MOST are the default streams */
static struct event events[EVENTS_MOST];
static size_t context_count, stream_count, event_count;
static unsigned long long ids;
static bool stalled;
static struct fake_cuda_counts counts;
static uint64_t (*host_now_ns)(void);
static double device_rate, device_offset_ns;
static struct {
    char function[64];
    int code;
    unsigned times;
} failure;
static _Thread_local struct context *stack[STACK_MOST];
static _Thread_local size_t stack_depth; /* the current context is the last */
static _Thread_local int mode;

#define EXPORT __attribute__((visibility("default")))

static double device_now(void)
{
    return device_offset_ns + device_rate * (double)host_now_ns();
}

static int failing(const char *function)
{
    if (!failure.times || (*failure.function && strcmp(failure.function, function) != 0))
        return SUCCESS;
    failure.times--;
    return failure.code;
}

#define FAIL_IF_TOLD()                                                                             \
    do {                                                                                           \
        const int code_ = failing(__func__);                                                       \
        if (code_)                                                                                 \
            return code_;                                                                          \
    } while (0)

static int misused(void)
{
    counts.misuse++;
    return INVALID_HANDLE;
}

/* Calls that the driver documentation calls unsafe break another's capture, but in the relaxed
 * mode. */
static bool capture_broken(void)
{
    for (size_t i = 0; i < stream_count; i++)
        if (streams[i].captured && mode != MODE_RELAXED) {
            counts.captures_broken++;
            return true;
        }
    return false;
}

#define FAIL_IF_CAPTURED()                                                                         \
    do {                                                                                           \
        if (capture_broken())                                                                      \
            return CAPTURE_UNSUPPORTED;                                                            \
    } while (0)

static struct context *current(void)
{
    return stack_depth ? stack[stack_depth - 1] : NULL;
}

static struct stream *stream_of(void *handle)
{
    struct context *context = current();
    if (!handle)
        return context ? &streams[context - contexts] : NULL;
    return handle;
}

static bool event_alive(const struct event *event)
{
    for (size_t i = 0; i < context_count; i++)
        if (contexts[i].alive && contexts[i].id == event->context)
            return event->alive;
    return false;
}

static bool event_ready(const struct event *event)
{
    const bool hidden = event->stream->held || (stalled && event->stream->ours);
    return !event->recorded || (!hidden && device_now() >= event->time);
}

/* --- The driver's functions
 * ------------------------------------------------------------------------ */

EXPORT int cuCtxGetCurrent(void **context)
{
    FAIL_IF_TOLD();
    *context = current();
    return SUCCESS;
}

EXPORT int cuCtxPushCurrent_v2(void *handle)
{
    struct context *context = handle;
    FAIL_IF_TOLD();
    if (!context->alive)
        return misused();
    stack[stack_depth++] = context;
    counts.pushed++;
    return SUCCESS;
}

EXPORT int cuCtxPopCurrent_v2(void **context)
{
    FAIL_IF_TOLD();
    *context = stack[--stack_depth];
    counts.pushed--;
    return SUCCESS;
}

EXPORT int cuStreamCreate(void **stream, unsigned flags)
{
    FAIL_IF_TOLD();
    FAIL_IF_CAPTURED();
    if (!current() || !current()->alive)
        return INVALID_CONTEXT;
    if (stream_count == STREAMS_MOST)
        return OUT_OF_MEMORY;
    streams[stream_count] = (struct stream){
        .alive = true, .ours = true, .blocking = !(flags & 1), .context = current()->id};
    *stream = &streams[stream_count++];
    counts.streams_created++;
    return SUCCESS;
}

EXPORT int cuStreamDestroy_v2(void *handle)
{
    struct stream *stream = handle;
    FAIL_IF_TOLD();
    FAIL_IF_CAPTURED();
    if (!stream->alive || !stream->ours)
        return misused();
    stream->alive = false;
    counts.streams_destroyed++;
    return SUCCESS;
}

EXPORT int cuStreamIsCapturing(void *handle, int *status)
{
    FAIL_IF_TOLD();
    const struct stream *stream = stream_of(handle);
    if (!stream || !stream->alive)
        return misused();
    for (size_t i = 0; !handle && i < stream_count; i++)
        if (streams[i].captured && streams[i].blocking)
            return CAPTURE_IMPLICIT;
    *status = stream->captured;
    return SUCCESS;
}

EXPORT int cuEventCreate(void **event, unsigned flags)
{
    FAIL_IF_TOLD();
    FAIL_IF_CAPTURED();
    if (!current() || !current()->alive)
        return INVALID_CONTEXT;
    if (flags)
        return INVALID_VALUE;
    if (event_count == EVENTS_MOST)
        return OUT_OF_MEMORY;
    events[event_count] = (struct event){.alive = true, .context = current()->id};
    *event = &events[event_count++];
    counts.events_created++;
    return SUCCESS;
}

EXPORT int cuEventDestroy_v2(void *handle)
{
    struct event *event = handle;
    FAIL_IF_TOLD();
    FAIL_IF_CAPTURED();
    if (!event_alive(event))
        return misused();
    event->alive = false;
    counts.events_destroyed++;
    return SUCCESS;
}

EXPORT int cuEventRecord(void *handle, void *stream_handle)
{
    struct event *event = handle;
    FAIL_IF_TOLD();
    struct stream *stream = stream_of(stream_handle);
    if (!event_alive(event) || !stream || !stream->alive)
        return misused();
    if (stream->context != event->context)
        return INVALID_HANDLE;
    const double now = device_now() + RECORD_NS;
    stream->busy_until = stream->busy_until > now ? stream->busy_until : now;
    event->time = stream->busy_until;
    event->stream = stream;
    event->recorded = true;
    return SUCCESS;
}

EXPORT int cuEventQuery(void *handle)
{
    const struct event *event = handle;
    FAIL_IF_TOLD();
    FAIL_IF_CAPTURED();
    if (!event_alive(event))
        return misused();
    return event_ready(event) ? SUCCESS : NOT_READY;
}

EXPORT int cuEventElapsedTime(float *milliseconds, void *start_handle, void *stop_handle)
{
    const struct event *start = start_handle, *stop = stop_handle;
    FAIL_IF_TOLD();
    FAIL_IF_CAPTURED();
    if (!event_alive(start) || !event_alive(stop) || !start->recorded || !stop->recorded)
        return misused();
    if (start->context != stop->context || !current() || current()->id != start->context)
        return INVALID_CONTEXT;
    if (!event_ready(start) || !event_ready(stop))
        return NOT_READY;
    if (stop->time < start->time)
        return INVALID_VALUE;
    *milliseconds = (float)((stop->time - start->time) * 1e-6);
    return SUCCESS;
}

/* Drivers since CUDA 12 have these, too. */
#ifndef FAKE_CUDA_OLDER
EXPORT int cuCtxGetId(void *handle, unsigned long long *id)
{
    const struct context *context = handle;
    FAIL_IF_TOLD();
    if (!context->alive)
        return CONTEXT_IS_DESTROYED;
    *id = context->id;
    return SUCCESS;
}

EXPORT int cuEventElapsedTime_v2(float *milliseconds, void *start, void *stop)
{
    FAIL_IF_TOLD();
    return cuEventElapsedTime(milliseconds, start, stop);
}

EXPORT int cuThreadExchangeStreamCaptureMode(int *other)
{
    FAIL_IF_TOLD();
    const int before = mode;
    mode = *other;
    *other = before;
    return SUCCESS;
}
#endif

static int synchronise(void)
{
    counts.synchronised++;
    return SUCCESS;
}

EXPORT int cuEventSynchronize(void *event)
{
    (void)event;
    return synchronise();
}

EXPORT int cuStreamSynchronize(void *stream)
{
    (void)stream;
    return synchronise();
}

EXPORT int cuCtxSynchronize(void)
{
    return synchronise();
}

/* --- The test's
 * ------------------------------------------------------------------------------------ */

static void restart(uint64_t (*now_ns)(void), double rate, double offset_ns)
{
    memset(contexts, 0, sizeof contexts);
    memset(streams, 0, sizeof streams);
    memset(events, 0, sizeof events);
    context_count = event_count = stack_depth = 0;
    stream_count = CONTEXTS_MOST;
    mode = MODE_GLOBAL;
    stalled = false;
    counts = (struct fake_cuda_counts){0};
    failure.times = 0;
    host_now_ns = now_ns;
    device_rate = rate;
    device_offset_ns = offset_ns;
}

static void context_begin(struct context *context)
{
    *context = (struct context){.alive = true, .id = ++ids};
    streams[context - contexts] =
        (struct stream){.alive = true, .blocking = true, .context = context->id};
}

static void *context_new(void)
{
    struct context *context = &contexts[context_count++];
    context_begin(context);
    return context;
}

static void context_use(void *context)
{
    stack_depth = 0;
    if (context)
        stack[stack_depth++] = context;
}

static void context_end(void *handle)
{
    struct context *context = handle;
    context->alive = false;
    for (size_t i = 0; i < stream_count; i++)
        if (streams[i].context == context->id)
            streams[i].alive = false;
}

static void context_reset(void *handle)
{
    context_end(handle);
    context_begin(handle);
}

static void *stream_new(void)
{
    streams[stream_count] =
        (struct stream){.alive = true, .blocking = true, .context = current()->id};
    return &streams[stream_count++];
}

static void launch(void *handle, double ns)
{
    struct stream *stream = stream_of(handle);
    const double now = device_now();
    stream->busy_until = (stream->busy_until > now ? stream->busy_until : now) + ns;
}

static void hold(void *handle, bool held)
{
    stream_of(handle)->held = held;
}

static void stall(bool on)
{
    stalled = on;
}

static void capture(void *handle, bool captured)
{
    stream_of(handle)->captured = captured;
}

static void refuse(const char *function, int code, unsigned times)
{
    failure.function[0] = '\0';
    if (function)
        strncat(failure.function, function, sizeof failure.function - 1);
    failure.code = code;
    failure.times = times;
}

static bool strict(void)
{
    return mode == MODE_GLOBAL;
}

static double event_host_ns(void *handle)
{
    const struct event *event = handle;
    return (event->time - device_offset_ns) / device_rate;
}

EXPORT const struct fake_cuda *fake_cuda(void)
{
    static const struct fake_cuda controls = {
        .counts = &counts,
        .restart = restart,
        .context_new = context_new,
        .context_use = context_use,
        .context_end = context_end,
        .context_reset = context_reset,
        .stream_new = stream_new,
        .launch = launch,
        .hold = hold,
        .stall = stall,
        .capture = capture,
        .refuse = refuse,
        .strict = strict,
        .event_host_ns = event_host_ns,
    };
    return &controls;
}
