/* The samples of gpu_timer.h. */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "run/timing/gpu_hold.h"
#include "run/timing/gpu_plan.h"
#include "run/timing/gpu_timer.h"

/* The device is held for no longer than this, whatever happens to the host. The host itself holds
 * it for only a fraction of that. */
static const double HOLD_LIMIT_NS = 100e6;
static const double HELD_TIME_NS = 20e6;

/* The work of a sample: `times` calls, or launches of a graph. */
struct work {
    const struct kg_gpu_call *call; /* NULL: of the graph */
    void *graph;
    uint64_t times;
    uint64_t held;        /* number of calls launched during the hold; 0: no hold */
    double hold_limit_ns; /* 0: as usual */
    bool cold;
};

static double cpu_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static bool event_put(struct kg_gpu_timer *timer, void *event, struct kg_error *err)
{
    const struct kg_driver *driver = &timer->driver;
    return kg_driver_good(driver, driver->event_record(event, timer->stream),
                          "cannot record an event", err);
}

static bool work_put_once(struct kg_gpu_timer *timer, const struct work *work, struct kg_error *err)
{
    const struct kg_driver *driver = &timer->driver;
    if (!work->call)
        return kg_driver_good(driver, driver->graph_launch(work->graph, timer->stream),
                              "cannot launch the graph", err);
    work->call->run(work->call->state);
    return true;
}

/* Launches the work. Ends the hold after enough launches, or after some time. The host then stays
 * ahead of the device. */
static bool work_put(struct kg_gpu_timer *timer, const struct work *work,
                     struct kg_gpu_sample *sample, struct kg_error *err)
{
    const uint64_t start = kg_clock_ns();
    bool held = work->held > 0;
    for (uint64_t i = 0; i < work->times; i++) {
        if (held && i > 0 && (i == work->held || (double)(kg_clock_ns() - start) > HELD_TIME_NS)) {
            kg_gpu_release(timer);
            held = false;
        }
        if (!work_put_once(timer, work, err))
            return false;
    }
    sample->launch_ns = (double)(kg_clock_ns() - start) / (double)work->times;
    return true;
}

/* Everything between the first thing on the stream and the last. Reading the CPU clock takes longer
 * than reading the wall clock. Behind a hold that does not matter; without one it must not happen
 * between the two events. */
static bool sample_put(struct kg_gpu_timer *timer, const struct work *work,
                       struct kg_gpu_sample *sample, struct kg_error *err)
{
    const double limit_ns = work->hold_limit_ns > 0 ? work->hold_limit_ns : HOLD_LIMIT_NS;
    if (work->cold && !kg_gpu_flush(timer, err))
        return false;
    if (work->held && !kg_gpu_hold(timer, limit_ns, err))
        return false;
    if (!kg_gpu_stamp(timer, KG_STAMPS_BEFORE, err))
        return false;
    double cpu = cpu_now_ns();
    if (!event_put(timer, timer->start, err))
        return false;
    if (work->held)
        cpu = cpu_now_ns();
    if (!work_put(timer, work, sample, err))
        return false;
    if (work->held)
        cpu = cpu_now_ns() - cpu;
    if (!event_put(timer, timer->stop, err))
        return false;
    sample->cpu_ns = (work->held ? cpu : cpu_now_ns() - cpu) / (double)work->times;
    return kg_gpu_stamp(timer, KG_STAMPS_AFTER, err);
}

/* Releases the hold before the host waits for the device, even after a failed step. */
static bool sample_take(struct kg_gpu_timer *timer, const struct work *wanted,
                        struct kg_gpu_sample *sample, struct kg_error *err)
{
    double elapsed_ns;
    struct work done = *wanted;
    const struct work *work = &done;
    *sample = (struct kg_gpu_sample){.sm_clock_hz = NAN};
    if (!timer->holds)
        done.held = 0;
    const bool put = sample_put(timer, work, sample, err);
    kg_gpu_release(timer);
    if (!put || !kg_gpu_wait(timer, err) || !kg_gpu_elapsed_ns(timer, &elapsed_ns, err))
        return false;
    const struct kg_stamps *stamps = timer->shared->stamps;
    sample->held = work->held && !kg_gpu_hold_ran_out(timer);
    sample->time_ns = kg_gpu_time_corrected(elapsed_ns, timer->overhead_ns) / (double)work->times;
    sample->sm_clock_hz =
        kg_stamps_clock_hz(&stamps[KG_STAMPS_BEFORE], &stamps[KG_STAMPS_AFTER], KG_STAMPS_LEAST_NS);
    return true;
}

bool kg_gpu_cold(struct kg_gpu_timer *timer, const struct kg_gpu_call *call, bool hold,
                 struct kg_gpu_sample *sample, struct kg_error *err)
{
    const struct work work = {.call = call, .times = 1, .held = hold, .cold = true};
    return sample_take(timer, &work, sample, err);
}

bool kg_gpu_hot(struct kg_gpu_timer *timer, const struct kg_gpu_call *call, uint64_t batch,
                uint64_t held_calls, struct kg_gpu_sample *sample, struct kg_error *err)
{
    const struct work work = {.call = call, .times = batch, .held = held_calls};
    return sample_take(timer, &work, sample, err);
}

bool kg_gpu_graph_time(struct kg_gpu_timer *timer, const struct kg_gpu_graph *graph,
                       uint64_t replays, struct kg_gpu_sample *sample, struct kg_error *err)
{
    /* One launch, since another of the same graph may have to wait for the first. */
    const struct work work = {.graph = graph->executable, .times = replays, .held = 1};
    if (!sample_take(timer, &work, sample, err))
        return false;
    sample->time_ns /= (double)graph->calls;
    sample->launch_ns /= (double)graph->calls;
    sample->cpu_ns /= (double)graph->calls;
    return true;
}

/* The stamps lie outside the host's timed interval, since the host waits for the device around it. */
bool kg_gpu_wall(struct kg_gpu_timer *timer, const struct kg_gpu_call *call,
                 struct kg_gpu_sample *sample, struct kg_error *err)
{
    *sample = (struct kg_gpu_sample){.sm_clock_hz = NAN};
    if (!kg_gpu_stamp(timer, KG_STAMPS_BEFORE, err) || !kg_gpu_wait(timer, err))
        return false;
    const double cpu = cpu_now_ns();
    const uint64_t start = kg_clock_ns();
    call->run(call->state);
    const uint64_t launched = kg_clock_ns();
    if (!kg_gpu_wait(timer, err))
        return false;
    sample->time_ns = (double)(kg_clock_ns() - start);
    sample->launch_ns = (double)(launched - start);
    sample->cpu_ns = cpu_now_ns() - cpu;
    if (!kg_gpu_stamp(timer, KG_STAMPS_AFTER, err) || !kg_gpu_wait(timer, err))
        return false;
    const struct kg_stamps *stamps = timer->shared->stamps;
    sample->sm_clock_hz =
        kg_stamps_clock_hz(&stamps[KG_STAMPS_BEFORE], &stamps[KG_STAMPS_AFTER], KG_STAMPS_LEAST_NS);
    return true;
}

/* Whether so many calls are on the stream before the hold's limit is over. */
static bool hold_try(struct kg_gpu_timer *timer, const struct kg_gpu_call *call, uint64_t calls,
                     double limit_ns, struct kg_gpu_call_timing *call_timing, bool *held,
                     struct kg_error *err)
{
    struct kg_gpu_sample sample;
    const struct work work = {
        .call = call, .times = calls, .held = calls, .hold_limit_ns = limit_ns};
    if (!sample_take(timer, &work, &sample, err))
        return false;
    *held = sample.held;
    if (!sample.held)
        return true;
    call_timing->held_calls = calls;
    call_timing->gpu_ns = sample.time_ns;
    call_timing->launch_ns = sample.launch_ns;
    return true;
}

/* Tries one call. If it was late, the function tries again with the longest hold: the host may have
 * done other work, and a hold may still work. */
static bool holding_find(struct kg_gpu_timer *timer, const struct kg_gpu_call *call,
                         struct kg_gpu_call_timing *call_timing, struct kg_error *err)
{
    const double limit_ns = timer->holds ? kg_gpu_hold_limit_ns(call_timing->launch_ns) : 0;
    bool held = false;
    if (limit_ns > 0 && !hold_try(timer, call, 1, limit_ns, call_timing, &held, err))
        return false;
    return !(limit_ns > 0) || held ||
           hold_try(timer, call, 1, HOLD_LIMIT_NS, call_timing, &held, err);
}

/* Finds how many calls fit behind one hold. A call may be many launches, and their queue is
 * bounded. */
static bool held_calls_find(struct kg_gpu_timer *timer, const struct kg_gpu_call *call,
                            struct kg_gpu_call_timing *call_timing, struct kg_error *err)
{
    bool held = false;
    for (uint64_t calls = kg_gpu_held_calls(call_timing->gpu_ns); calls > 1 && !held; calls /= 4) {
        const double limit_ns = kg_gpu_hold_limit_ns((double)calls * call_timing->launch_ns);
        if (limit_ns > 0 && !hold_try(timer, call, calls, limit_ns, call_timing, &held, err))
            return false;
    }
    return true;
}

/* A call that does not return during a hold may wait for the device, or only for room in the queue of
 * launches. A graph can capture the second kind only. */
static void capturable_find(struct kg_gpu_timer *timer, const struct kg_gpu_call *call,
                            struct kg_gpu_call_timing *call_timing)
{
    struct kg_gpu_graph graph;
    struct kg_error why;
    call_timing->capturable = kg_gpu_graph_record(timer, call, 1, &graph, &why);
    call_timing->synchronises = !call_timing->held_calls && !call_timing->capturable;
    call_timing->empty = call_timing->capturable && graph.nodes == 0;
    if (call_timing->capturable)
        kg_gpu_graph_free(timer, &graph);
    else if (call_timing->synchronises && timer->holds)
        snprintf(call_timing->why_not, sizeof call_timing->why_not,
                 "it waits for the device (%.220s)", why.message);
    else
        snprintf(call_timing->why_not, sizeof call_timing->why_not, "%.250s", why.message);
}

bool kg_gpu_call_timing_find(struct kg_gpu_timer *timer, const struct kg_gpu_call *call,
                             struct kg_gpu_call_timing *call_timing, struct kg_error *err)
{
    struct kg_gpu_sample sample;
    *call_timing = (struct kg_gpu_call_timing){0};
    /* The first call loads modules, does other postponed work, and waits for it. */
    for (int i = 0; i < 2; i++)
        if (!kg_gpu_wall(timer, call, &sample, err))
            return false;
    call_timing->call_ns = sample.time_ns;
    call_timing->launch_ns = sample.launch_ns;
    call_timing->gpu_ns = sample.time_ns;
    if (!holding_find(timer, call, call_timing, err))
        return false;
    if (call_timing->held_calls && !held_calls_find(timer, call, call_timing, err))
        return false;
    if (!call_timing->held_calls && !kg_gpu_hot(timer, call, 1, 0, &sample, err))
        return false;
    if (!call_timing->held_calls)
        call_timing->gpu_ns = sample.time_ns;
    capturable_find(timer, call, call_timing);
    return true;
}
