#include "fake_cuda_state.h"

#include <math.h>
#include <string.h>
#include <time.h>

enum { CONTEXTS_MOST = 64, STREAMS_MOST = 256, STACK_MOST = 8 };
enum { MODE_GLOBAL = 0, MODE_RELAXED = 2 };

static struct fake_context contexts[CONTEXTS_MOST];
static struct fake_stream
    streams[STREAMS_MOST]; /* the first CONTEXTS_MOST are the default streams */
static size_t context_count, stream_count;
static unsigned long long ids;
static bool stalled;
static struct fake_cuda_counts counts;
static const struct fake_cuda_device usual_device = {
    .launch_host_ns = 2000,
    .latency_ns = 3000,
    .gap_ns = 1000,
    .graph_gap_ns = 300,
    .timer_step_ns = 1000,
    .dirty_ns = 7000,
    .nominal_clock_hz = 1.98e9,
    .memset_bytes_per_ns = 2000,
    .copy_bytes_per_ns = 25,
    .queue_most = 1000,
    .memory_bytes = (size_t)80 << 30,
};
static struct fake_cuda_device device;
static uint64_t (*host_now_ns)(void);
static double device_rate, device_offset_ns;
static struct {
    char function[64];
    int code;
    unsigned times;
} failure;
static struct {
    unsigned calls;
    int code;
    bool refused;
} later;
static int fault; /* since the device failed */
static void (*host_passes)(double ns);
static _Thread_local struct fake_context *stack[STACK_MOST];
static _Thread_local size_t stack_depth; /* the current context is the last */
static _Thread_local int mode;

double fake_device_now(void)
{
    return device_offset_ns + device_rate * (double)host_now_ns();
}

/* Short times are spun away: what is timed here is a few microseconds. */
static void really_wait(double host_ns)
{
    static const double SPIN_NS = 60e3;
    const uint64_t start = host_now_ns();
    for (double passed = 0; passed < host_ns; passed = (double)(host_now_ns() - start)) {
        const double left = host_ns - passed - SPIN_NS;
        if (left <= 0)
            continue;
        const struct timespec span = {.tv_sec = (time_t)(left / 1e9),
                                      .tv_nsec = (long)fmod(left, 1e9)};
        nanosleep(&span, NULL);
    }
}

void fake_pass(double device_ns)
{
    const double host_ns = ceil(device_ns / device_rate);
    if (host_ns <= 0)
        return;
    if (host_passes)
        host_passes(host_ns);
    else
        really_wait(host_ns);
}

bool fake_time_is_real(void)
{
    return !host_passes;
}

int fake_failing(const char *function)
{
    if (fault)
        return fault;
    if (later.code && !later.calls--) {
        const int code = later.code;
        later.code = 0;
        later.refused = true;
        return code;
    }
    if (!failure.times || (*failure.function && strcmp(failure.function, function) != 0))
        return SUCCESS;
    failure.times--;
    return failure.code;
}

void fake_fault(int code)
{
    fault = code;
}

int fake_fault_code(void)
{
    return fault;
}

int fake_misused(void)
{
    counts.misuse++;
    return INVALID_HANDLE;
}

int fake_waited(void)
{
    counts.synchronised++;
    return SUCCESS;
}

/* Calls that the driver documentation calls unsafe break another's capture, but in the relaxed
 * mode. */
bool fake_capture_broken(void)
{
    for (size_t i = 0; i < stream_count; i++)
        if (streams[i].captured && mode != MODE_RELAXED) {
            counts.captures_broken++;
            return true;
        }
    return false;
}

struct fake_context *fake_current(void)
{
    return stack_depth ? stack[stack_depth - 1] : NULL;
}

struct fake_stream *fake_stream_of(void *handle)
{
    struct fake_context *context = fake_current();
    if (!handle)
        return context ? &streams[context - contexts] : NULL;
    return handle;
}

struct fake_stream *fake_stream_next(struct fake_stream *stream)
{
    for (stream = stream ? stream + 1 : streams; stream < streams + stream_count; stream++)
        if (stream->alive)
            return stream;
    return NULL;
}

bool fake_stream_is_default(const struct fake_stream *stream)
{
    return stream < streams + CONTEXTS_MOST;
}

bool fake_context_alive(unsigned long long id)
{
    for (size_t i = 0; i < context_count; i++)
        if (contexts[i].alive && contexts[i].id == id)
            return true;
    return false;
}

bool fake_stream_hidden(const struct fake_stream *stream)
{
    return stream->held || (stalled && stream->ours);
}

double fake_host_ns(double device_ns)
{
    return (device_ns - device_offset_ns) / device_rate;
}

/* --- The driver's functions
 * ------------------------------------------------------------------------ */

EXPORT int cuCtxGetCurrent(void **context)
{
    FAIL_IF_TOLD();
    *context = fake_current();
    return SUCCESS;
}

EXPORT int cuCtxPushCurrent_v2(void *handle)
{
    struct fake_context *context = handle;
    FAIL_IF_TOLD();
    if (!context->alive)
        return fake_misused();
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
    if (!fake_current() || !fake_current()->alive)
        return INVALID_CONTEXT;
    if (stream_count == STREAMS_MOST)
        return OUT_OF_MEMORY;
    streams[stream_count] = (struct fake_stream){
        .alive = true, .ours = true, .blocking = !(flags & 1), .context = fake_current()->id};
    *stream = &streams[stream_count++];
    counts.streams_created++;
    return SUCCESS;
}

EXPORT int cuStreamDestroy_v2(void *handle)
{
    struct fake_stream *stream = handle;
    FAIL_IF_TOLD();
    FAIL_IF_CAPTURED();
    if (!stream->alive || !stream->ours)
        return fake_misused();
    fake_queue_drop(stream);
    stream->alive = false;
    counts.streams_destroyed++;
    return SUCCESS;
}

EXPORT int cuStreamIsCapturing(void *handle, int *status)
{
    FAIL_IF_TOLD();
    const struct fake_stream *stream = fake_stream_of(handle);
    if (!stream || !stream->alive)
        return fake_misused();
    for (size_t i = 0; !handle && i < stream_count; i++)
        if (streams[i].captured && streams[i].blocking)
            return CAPTURE_IMPLICIT;
    *status = stream->recording_broken ? 2 : stream->captured || stream->recording;
    return SUCCESS;
}

/* Drivers since CUDA 12 have these, too. */
#ifndef FAKE_CUDA_OLDER
EXPORT int cuCtxGetId(void *handle, unsigned long long *id)
{
    const struct fake_context *context = handle;
    FAIL_IF_TOLD();
    if (!context->alive)
        return CONTEXT_IS_DESTROYED;
    *id = context->id;
    return SUCCESS;
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

EXPORT int cuStreamSynchronize(void *handle)
{
    FAIL_IF_TOLD();
    FAIL_IF_RECORDING();
    struct fake_stream *stream = fake_stream_of(handle);
    if (!stream || !stream->alive)
        return fake_misused();
    fake_wait(stream);
    fake_waited();
    return fault;
}

EXPORT int cuStreamQuery(void *handle)
{
    FAIL_IF_TOLD();
    FAIL_IF_RECORDING();
    struct fake_stream *stream = fake_stream_of(handle);
    if (!stream || !stream->alive)
        return fake_misused();
    fake_look(stream);
    return stream->queued || stream->busy_until > fake_device_now() ? NOT_READY : SUCCESS;
}

EXPORT int cuCtxSynchronize(void)
{
    FAIL_IF_TOLD();
    FAIL_IF_RECORDING();
    fake_wait_for_all();
    fake_waited();
    return fault;
}

EXPORT int cuCtxSetCurrent(void *handle)
{
    struct fake_context *context = handle;
    FAIL_IF_TOLD();
    if (context && !context->alive)
        return fake_misused();
    stack_depth = stack_depth ? stack_depth - 1 : 0;
    if (context)
        stack[stack_depth++] = context;
    return SUCCESS;
}

/* --- The test's
 * ------------------------------------------------------------------------------------ */

static void restart(uint64_t (*now_ns)(void), double rate, double offset_ns)
{
    for (struct fake_stream *stream = NULL; (stream = fake_stream_next(stream));)
        fake_queue_drop(stream);
    memset(contexts, 0, sizeof contexts);
    memset(streams, 0, sizeof streams);
    fake_events_restart();
    context_count = stack_depth = 0;
    stream_count = CONTEXTS_MOST;
    mode = MODE_GLOBAL;
    stalled = false;
    counts = (struct fake_cuda_counts){0};
    failure.times = 0;
    host_now_ns = now_ns;
    device_rate = rate;
    device_offset_ns = offset_ns;
    host_passes = NULL;
    fault = SUCCESS;
    later.code = 0;
    later.refused = false;
    device = usual_device;
    fake_queue_restart();
    fake_work_restart();
    fake_graphs_restart();
}

static void pass_by(void (*pass)(double host_ns))
{
    host_passes = pass;
}

static void refuse_later(unsigned calls, int code)
{
    later.calls = calls;
    later.code = code;
    later.refused = false;
}

static bool refused(void)
{
    return later.refused;
}

static void context_begin(struct fake_context *context)
{
    *context = (struct fake_context){.alive = true, .id = ++ids};
    streams[context - contexts] =
        (struct fake_stream){.alive = true, .blocking = true, .context = context->id};
}

static void *context_new(void)
{
    struct fake_context *context = &contexts[context_count++];
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
    struct fake_context *context = handle;
    context->alive = false;
    for (size_t i = 0; i < stream_count; i++)
        if (streams[i].context == context->id) {
            fake_queue_drop(&streams[i]);
            streams[i].alive = false;
        }
}

static void context_reset(void *handle)
{
    context_end(handle);
    context_begin(handle);
}

static void *stream_new(void)
{
    streams[stream_count] =
        (struct fake_stream){.alive = true, .blocking = true, .context = fake_current()->id};
    return &streams[stream_count++];
}

static void launch(void *handle, double ns)
{
    struct fake_stream *stream = fake_stream_of(handle);
    const double now = fake_device_now();
    stream->busy_until = (stream->busy_until > now ? stream->busy_until : now) + ns;
}

static void hold(void *handle, bool held)
{
    fake_stream_of(handle)->held = held;
}

static void stall(bool on)
{
    stalled = on;
}

static void capture(void *handle, bool captured)
{
    fake_stream_of(handle)->captured = captured;
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
        .event_host_ns = fake_event_host_ns,
        .device = &device,
        .pass_by = pass_by,
        .clock_set = fake_clock_set,
        .refuse_later = refuse_later,
        .refused = refused,
    };
    return &controls;
}
