/* The fake driver's events. */
#include "fake_cuda_state.h"

#include <math.h>
#include <string.h>

enum { EVENTS_MOST = 16384 };

static struct fake_event events[EVENTS_MOST];
static size_t event_count;

void fake_events_restart(void)
{
    memset(events, 0, sizeof events);
    event_count = 0;
}

static bool event_alive(const struct fake_event *event)
{
    return event->alive && fake_context_alive(event->context);
}

static bool event_ready(const struct fake_event *event)
{
    if (!event->recorded)
        return true;
    return !fake_stream_hidden(event->stream) && !event->pending &&
           fake_device_now() >= event->time;
}

EXPORT int cuEventCreate(void **event, unsigned flags)
{
    FAIL_IF_TOLD();
    FAIL_IF_CAPTURED();
    if (!fake_current() || !fake_current()->alive)
        return INVALID_CONTEXT;
    if (flags)
        return INVALID_VALUE;
    if (event_count == EVENTS_MOST)
        return OUT_OF_MEMORY;
    events[event_count] = (struct fake_event){.alive = true, .context = fake_current()->id};
    *event = &events[event_count++];
    fake_cuda()->counts->events_created++;
    return SUCCESS;
}

EXPORT int cuEventDestroy_v2(void *handle)
{
    struct fake_event *event = handle;
    FAIL_IF_TOLD();
    FAIL_IF_CAPTURED();
    if (!event_alive(event))
        return fake_misused();
    event->alive = false;
    fake_cuda()->counts->events_destroyed++;
    return SUCCESS;
}

EXPORT int cuEventRecord(void *handle, void *stream_handle)
{
    struct fake_event *event = handle;
    FAIL_IF_TOLD();
    struct fake_stream *stream = fake_stream_of(stream_handle);
    if (!event_alive(event) || !stream || !stream->alive)
        return fake_misused();
    if (stream->context != event->context)
        return INVALID_HANDLE;
    if (stream->recording) /* a dependency, not a node */
        return SUCCESS;
    event->stream = stream;
    event->recorded = true;
    event->pending = true;
    fake_put(stream, (struct fake_operation){
                         .kind = KIND_EVENT, .event = event, .ns = fake_cuda()->device->event_ns});
    return SUCCESS;
}

/* As the device's timer shows it. */
static double event_seen_ns(const struct fake_event *event)
{
    const double step = fake_cuda()->device->event_step_ns;
    return step > 0 ? floor(event->time / step) * step : event->time;
}

EXPORT int cuEventQuery(void *handle)
{
    const struct fake_event *event = handle;
    FAIL_IF_TOLD();
    FAIL_IF_CAPTURED();
    if (!event_alive(event))
        return fake_misused();
    return event_ready(event) ? SUCCESS : NOT_READY;
}

EXPORT int cuEventElapsedTime(float *milliseconds, void *start_handle, void *stop_handle)
{
    const struct fake_event *start = start_handle, *stop = stop_handle;
    FAIL_IF_TOLD();
    FAIL_IF_CAPTURED();
    if (!event_alive(start) || !event_alive(stop) || !start->recorded || !stop->recorded)
        return fake_misused();
    if (start->context != stop->context || !fake_current() || fake_current()->id != start->context)
        return INVALID_CONTEXT;
    if (!event_ready(start) || !event_ready(stop))
        return NOT_READY;
    if (stop->time < start->time)
        return INVALID_VALUE;
    *milliseconds = (float)((event_seen_ns(stop) - event_seen_ns(start)) * 1e-6);
    return SUCCESS;
}

EXPORT int cuEventSynchronize(void *handle)
{
    struct fake_event *event = handle;
    FAIL_IF_TOLD();
    FAIL_IF_RECORDING();
    if (!event_alive(event))
        return fake_misused();
    if (event->recorded && event->pending)
        fake_wait((struct fake_stream *)event->stream);
    if (event->recorded)
        fake_pass(event->time - fake_device_now());
    fake_waited();
    return fake_fault_code();
}

#ifndef FAKE_CUDA_OLDER
EXPORT int cuEventElapsedTime_v2(float *milliseconds, void *start, void *stop)
{
    FAIL_IF_TOLD();
    return cuEventElapsedTime(milliseconds, start, stop);
}
#endif

double fake_event_host_ns(void *handle)
{
    const struct fake_event *event = handle;
    return fake_host_ns(event->time);
}
