/* What is on the fake driver's streams. Work that nothing blocks is simulated at once: it is
 * known when it will be done. What is behind a hold waits in the stream's queue until somebody
 * looks and finds the hold released, or out of time.
 *
 * In the environment, for whole processes:
 *   FAKE_CUDA_SM_CLOCK_HZ=1.2e9  the clock of the multiprocessors from the start */
#include "fake_cuda_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device/code/timing.h"

static bool l2_flushed, l2_dirty;
static double clock_hz, clock_before_hz;          /* now, and before it was changed */
static double clock_changed, cycles_when_changed; /* when, on the device's clock */

void fake_queue_restart(void)
{
    const char *told = getenv("FAKE_CUDA_SM_CLOCK_HZ");
    clock_hz = told ? strtod(told, NULL) : fake_cuda()->device->nominal_clock_hz;
    clock_before_hz = clock_hz;
    clock_changed = fake_device_now();
    cycles_when_changed = 1e12;
    l2_flushed = true;
    l2_dirty = false;
}

static double cycles_at(double time)
{
    const double since = time - clock_changed;
    return cycles_when_changed + 1e-9 * since * (since >= 0 ? clock_hz : clock_before_hz);
}

void fake_clock_set(double sm_clock_hz)
{
    const double now = fake_device_now();
    cycles_when_changed = cycles_at(now);
    clock_changed = now;
    clock_before_hz = clock_hz;
    clock_hz = sm_clock_hz;
}

/* Each block sees the timer's next step, if it comes before its patience ends. */
static double stamps_take(const struct fake_operation *operation, double begin)
{
    const double step = fake_cuda()->device->timer_step_ns;
    const double next = (floor(begin / step) + 1) * step;
    const double patience_ns = 1e9 * (double)operation->limit / clock_hz;
    const bool seen = next - begin <= patience_ns;
    const double end = seen ? next : begin + patience_ns;
    struct kg_stamp *stamps = operation->memory;
    for (unsigned i = 0; i < operation->blocks; i++)
        stamps[i] = (struct kg_stamp){.cycles = (uint64_t)cycles_at(end),
                                      .timer_ns = (uint64_t)(seen ? next : next - step),
                                      .step_ns = seen ? (uint32_t)step : 0,
                                      .multiprocessor = i,
                                      .number = operation->number};
    return end;
}

static double work_ns(const struct fake_operation *operation)
{
    const double ns = operation->ns + (l2_flushed ? operation->cold_ns : 0) +
                      (l2_dirty ? fake_cuda()->device->dirty_ns : 0);
    return ns * fake_cuda()->device->nominal_clock_hz / clock_hz;
}

/* When it ends that begins then. */
static double operation_end(const struct fake_operation *operation, double begin)
{
    double end = begin + operation->ns;
    if (operation->kind == KIND_STAMP)
        end = stamps_take(operation, begin);
    if (operation->kind == KIND_WORK) {
        end = begin + work_ns(operation);
        l2_flushed = l2_dirty = false;
    }
    if (operation->kind == KIND_EVENT)
        end = begin + operation->ns * fake_cuda()->device->nominal_clock_hz / clock_hz;
    if (operation->kind == KIND_FAULT)
        fake_fault(ILLEGAL_ADDRESS);
    if (operation->flushes)
        l2_flushed = l2_dirty = true;
    if (operation->cleans)
        l2_dirty = false;
    return end;
}

/* Work begins a while after it was launched, and after what was before it. */
static double operation_begin(const struct fake_stream *stream,
                              const struct fake_operation *operation)
{
    const double latency = operation->follows ? 0 : fake_cuda()->device->latency_ns;
    return fmax(operation->enqueued + latency, stream->busy_until + operation->gap_ns);
}

static void operation_do(struct fake_stream *stream, const struct fake_operation *operation)
{
    stream->busy_until = operation_end(operation, operation_begin(stream, operation));
    if (operation->event) {
        operation->event->time = stream->busy_until;
        operation->event->pending = false;
    }
}

/* Whether the hold has ended, as far as anybody can know who looks now. */
static bool hold_ended(struct fake_stream *stream, struct fake_operation *hold)
{
    struct kg_gate *gate = hold->memory;
    const double now = fake_device_now();
    if (!(hold->begun > 0))
        hold->begun = operation_begin(stream, hold);
    if ((int32_t)(__atomic_load_n(&gate->released, __ATOMIC_ACQUIRE) - (uint32_t)hold->number) >=
        0) {
        stream->busy_until = fmax(hold->begun, now);
        return true;
    }
    if (now < hold->begun + (double)hold->limit)
        return false;
    gate->timed_out = (uint32_t)hold->number;
    fake_cuda()->counts->timed_out++;
    stream->busy_until = hold->begun + (double)hold->limit;
    return true;
}

void fake_look(struct fake_stream *stream)
{
    size_t done = 0;
    for (; done < stream->queued; done++) {
        struct fake_operation *operation = &stream->queue[done];
        if (operation->kind != KIND_HOLD)
            operation_do(stream, operation);
        else if (!hold_ended(stream, operation))
            break;
    }
    stream->queued -= done;
    if (done)
        memmove(stream->queue, stream->queue + done, stream->queued * sizeof *stream->queue);
}

void fake_queue_drop(struct fake_stream *stream)
{
    free(stream->queue);
    stream->queue = NULL;
    stream->queued = stream->queue_room = 0;
}

/* Waits until nothing waits for a hold: nobody can release it meanwhile but by its limit. */
static void wait_for_hold(struct fake_stream *stream)
{
    for (fake_look(stream); stream->queued; fake_look(stream)) {
        const struct fake_operation *hold = stream->queue;
        fake_pass(hold->begun + (double)hold->limit - fake_device_now());
    }
}

void fake_wait(struct fake_stream *stream)
{
    wait_for_hold(stream);
    fake_pass(stream->busy_until - fake_device_now());
}

void fake_wait_for_all(void)
{
    for (struct fake_stream *stream = NULL; (stream = fake_stream_next(stream));)
        fake_wait(stream);
}

static void queue_add(struct fake_stream *stream, const struct fake_operation *operation)
{
    if (stream->queued == stream->queue_room) {
        stream->queue_room = 2 * stream->queue_room + 16;
        stream->queue = realloc(stream->queue, stream->queue_room * sizeof *stream->queue);
        if (!stream->queue)
            abort();
    }
    stream->queue[stream->queued++] = *operation;
}

/* The legacy default stream waits for all others that are not made to be non-blocking, and they for
 * it: what is put on it goes behind what is held, wherever that is. */
static struct fake_stream *stream_joined(struct fake_stream *stream)
{
    struct fake_stream *other = NULL;
    if (!stream->blocking)
        return stream;
    while ((other = fake_stream_next(other))) {
        if (other == stream || other->context != stream->context || !other->blocking ||
            fake_stream_is_default(other) == fake_stream_is_default(stream))
            continue;
        fake_look(other);
        if (fake_stream_is_default(stream) && other->queued)
            return other;
        stream->busy_until = fmax(stream->busy_until, other->busy_until);
    }
    return stream;
}

/* Launches that wait: a graph is one, whatever is in it. */
static size_t launches_queued(const struct fake_stream *stream)
{
    size_t launches = 0;
    for (size_t i = 0; i < stream->queued; i++)
        launches += !stream->queue[i].follows;
    return launches;
}

void fake_put(struct fake_stream *stream, struct fake_operation operation)
{
    const struct fake_cuda_device *device = fake_cuda()->device;
    if (operation.kind != KIND_EVENT)
        stream = stream_joined(stream);
    fake_look(stream);
    if (!operation.follows && launches_queued(stream) >= device->queue_most) {
        fake_cuda()->counts->blocked++;
        wait_for_hold(stream);
    }
    operation.enqueued = fake_device_now();
    if (stream->queued || operation.kind == KIND_HOLD)
        queue_add(stream, &operation);
    else
        operation_do(stream, &operation);
    if (device->blocking && operation.kind != KIND_EVENT)
        fake_wait(stream);
}
