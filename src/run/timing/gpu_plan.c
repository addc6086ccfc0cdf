#include "run/timing/gpu_plan.h"

#include <math.h>

#include "base/statistics/stats.h"
#include "run/timing/samples.h"

/* As on the CPU (timed_loop.c): a disturbance spoils one sample among many. */
static const double SAMPLE_NS = 100e3;
static const double RESOLUTION_SHARE = 0.001;
static const double MARGIN = 1.25;
static const double REFERENCE_SLACK = 4;
/* A single call shorter than this many steps of the timer has an error above 5 %. */
static const double SHORT_STEPS = 20;

/* While the blocking kernel runs, the host tries to launch the calls. Its limit gives a briefly
 * preempted host enough time. The limit is too short for a person, or a watchdog of the display
 * driver, to notice. */
static const double HOLD_LEAST_NS = 5e6;
static const double HOLD_MOST_NS = 100e6;
static const double HOLD_SLACK = 4;
/* With this much work behind a blocking kernel, the host stays ahead of the running device. */
static const double HELD_WORK_NS = 1e6;

enum { GRAPH_CALLS_MOST = 256, WINDOW_LEAST = 5, WINDOW_MOST = KG_GPU_SETTLED_MOST / 2 };
enum { DROPPED_MOST = 3, WHOLE_CALLS_MOST = 5 };
static const double SETTLED_TIME = 0.01;
static const double SETTLED_CLOCK = 0.005;
static const double WARM_UP_LEAST_NS = 10e6;
static const double BUSY_LEAST_NS = 50e6;
static const double BUSY_MOST_NS = 250e6;
static const double ELAPSED_MOST = 3;
static const double WHOLE_CALLS_SHARE = 0.1;

double kg_gpu_resolution_ns(double *times_ns, size_t count)
{
    /* Times come as single-precision milliseconds: closer ones differ by rounding alone. */
    static const double SAME_NS = 0.5;
    double least = KG_EVENT_RESOLUTION_NS;
    kg_sort(times_ns, count);
    for (size_t i = 1; i < count; i++)
        if (times_ns[i] - times_ns[i - 1] >= SAME_NS)
            least = fmin(least, times_ns[i] - times_ns[i - 1]);
    return fmax(1, least);
}

double kg_gpu_time_corrected(double time_ns, double overhead_ns)
{
    return fmax(0, time_ns - overhead_ns);
}

/* Whether the device finishes a call before the host has launched the next. Calls back to back then
 * have gaps between them, unless they were launched behind a blocking kernel. */
static bool launch_bound(double gpu_ns, double launch_ns)
{
    return gpu_ns < launch_ns;
}

/* The reason why samples of that timing use no blocking kernel. NULL if they use one or need none: a
 * graph is a single launch, and the host's clock measures wall times. */
static const char *unheld(enum kg_timing timing, const struct kg_gpu_doubt_facts *facts)
{
    if (timing == KG_TIMING_WALL)
        return NULL;
    if (!facts->holds)
        return "times include launch overhead: kernel launches are synchronous here "
               "(compute-sanitizer or a debugger?)";
    if (facts->held || timing == KG_TIMING_GRAPH)
        return NULL;
    return facts->synchronises
               ? "times include host work: a call waits for the device, so kgate cannot queue all "
                 "launches first"
               : "times may include launch overhead: a call has too many launches for the driver's "
                 "queue, or takes the host too long. Use `timing: graph`";
}

const char *kg_gpu_doubt(enum kg_timing timing, const struct kg_gpu_doubt_facts *facts)
{
    const char *why = unheld(timing, facts);
    if (why)
        return why;
    if (timing == KG_TIMING_COLD && facts->gpu_ns < SHORT_STEPS * facts->resolution_ns)
        return "a call is hardly longer than the resolution of the device's timer; `timing: hot` "
               "and `graph` time many calls at once";
    if (timing == KG_TIMING_HOT && launch_bound(facts->gpu_ns, facts->launch_ns))
        return "the device finishes a call before the host launches the next: kgate can queue only "
               "few calls per sample; `timing: graph` has no such limit";
    return NULL;
}

double kg_gpu_hold_limit_ns(double launch_ns)
{
    if (launch_ns * 2 > HOLD_MOST_NS)
        return 0;
    return fmin(HOLD_MOST_NS, fmax(HOLD_LEAST_NS, HOLD_SLACK * launch_ns));
}

uint64_t kg_gpu_held_calls(double gpu_ns)
{
    const double wanted = HELD_WORK_NS / fmax(gpu_ns, 1);
    return wanted >= KG_GPU_HELD_MOST ? KG_GPU_HELD_MOST : kg_batch_from(wanted);
}

uint64_t kg_gpu_batch(enum kg_timing timing, const struct kg_gpu_batch_facts *facts)
{
    const double target = fmax(SAMPLE_NS, facts->resolution_ns / RESOLUTION_SHARE);
    const double gpu_ns = fmax(facts->gpu_ns, 1);
    if (timing == KG_TIMING_COLD || timing == KG_TIMING_WALL)
        return 1;
    uint64_t most = UINT64_MAX;
    if (timing == KG_TIMING_HOT && facts->held_calls &&
        launch_bound(facts->gpu_ns, facts->launch_ns))
        most = facts->held_calls;
    if (facts->reference && facts->reference <= most &&
        ((double)facts->reference * gpu_ns >= target / REFERENCE_SLACK || facts->reference == most))
        return facts->reference;
    const uint64_t wanted = kg_batch_from(MARGIN * target / gpu_ns);
    return wanted < most ? wanted : most;
}

uint64_t kg_gpu_graph_calls(uint64_t batch)
{
    for (uint64_t calls = batch < GRAPH_CALLS_MOST ? batch : GRAPH_CALLS_MOST; calls > 1; calls--)
        if (batch % calls == 0)
            return calls;
    return 1;
}

/* The median of a window's known values; NaN if all are unknown. */
static double window_median(const double *values, size_t window)
{
    double known[WINDOW_MOST];
    size_t count = 0;
    for (size_t i = 0; i < window; i++)
        if (!isnan(values[i]))
            known[count++] = values[i];
    if (!count)
        return NAN;
    kg_sort(known, count);
    return kg_median_sorted(known, count);
}

bool kg_gpu_settled(const double *times_ns, const double *clocks_hz, size_t count,
                    double resolution_ns)
{
    if (count < (size_t)2 * WINDOW_LEAST)
        return false;
    /* The windows grow with the readings: a few samples of a short call are close in time, and would
     * not show a slow change. */
    const size_t quarter = count / 4 > WINDOW_LEAST ? count / 4 : WINDOW_LEAST;
    const size_t window = quarter < WINDOW_MOST ? quarter : WINDOW_MOST;
    const size_t last = count - window, before = last - window;
    const double time = window_median(times_ns + last, window);
    const double clock = window_median(clocks_hz + last, window);
    if (fabs(time - window_median(times_ns + before, window)) > SETTLED_TIME * time + resolution_ns)
        return false;
    /* An unknown clock is NaN, for which no comparison holds: it passes. */
    return !(fabs(clock - window_median(clocks_hz + before, window)) > SETTLED_CLOCK * clock);
}

double kg_gpu_busy_most_ns(unsigned unsteady)
{
    enum { UNSTEADY_MOST = 2 };
    return unsteady < UNSTEADY_MOST ? BUSY_MOST_NS : BUSY_LEAST_NS;
}

bool kg_gpu_clock_settled(double elapsed_ns, double most_ns, bool new_process,
                          const double clocks_hz[KG_GPU_STEADY_READINGS], size_t taken)
{
    double least = INFINITY, most = 0;
    bool known = taken >= KG_GPU_STEADY_READINGS;
    for (size_t i = 0; known && i < KG_GPU_STEADY_READINGS; i++) {
        known = !isnan(clocks_hz[i]);
        least = fmin(least, clocks_hz[i]);
        most = fmax(most, clocks_hz[i]);
    }
    const bool steady = known && most - least <= SETTLED_CLOCK * most;
    return elapsed_ns >= most_ns || (steady && (!new_process || elapsed_ns >= BUSY_LEAST_NS));
}

bool kg_gpu_warm_enough(double elapsed_ns, double min_time_ns, bool settled)
{
    return elapsed_ns >= (settled ? fmin(WARM_UP_LEAST_NS, min_time_ns) : min_time_ns);
}

bool kg_gpu_round_done(double measured_ns, double elapsed_ns, double wanted_ns)
{
    return measured_ns >= wanted_ns || elapsed_ns >= ELAPSED_MOST * wanted_ns;
}

bool kg_gpu_sample_dropped(uint64_t taken, uint64_t dropped)
{
    return dropped < DROPPED_MOST + taken / 4;
}

bool kg_gpu_sample_slow(double clock_hz, double highest_hz)
{
    static const double SLOW = 0.75;
    return clock_hz < SLOW * highest_hz;
}

double kg_gpu_recovery_ns(uint64_t dropped)
{
    static const double FIRST_NS = 10e6;
    enum { DOUBLINGS_MOST = 4 };
    return ldexp(FIRST_NS, (int)(dropped < DOUBLINGS_MOST + 1 ? dropped - 1 : DOUBLINGS_MOST));
}

int kg_gpu_whole_calls(double call_ns, double min_time_ns)
{
    const double room = WHOLE_CALLS_SHARE * min_time_ns / fmax(call_ns, 1);
    return room >= WHOLE_CALLS_MOST ? WHOLE_CALLS_MOST : room > 1 ? (int)room : 1;
}
