#include "run/timing/gpu_sampler.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/statistics/stats.h"
#include "run/timing/gpu_plan.h"
#include "run/timing/samples.h"

enum figure { TIME, CLOCK, LAUNCH };

static double *figures(const struct kg_gpu_sampler *sampler, enum figure figure)
{
    return sampler->buffer + (size_t)figure * sampler->capacity;
}

/* One sample of `batch` calls by the sampler's timing. */
static bool sample_take(struct kg_gpu_sampler *sampler, uint64_t batch,
                        const struct kg_gpu_graph *graph, struct kg_gpu_sample *sample,
                        struct kg_error *err)
{
    const uint64_t held_calls = sampler->call_timing.held_calls;
    switch (sampler->timing) {
    case KG_TIMING_COLD:
        return kg_gpu_cold(sampler->timer, &sampler->call, held_calls > 0, sample, err);
    case KG_TIMING_HOT:
        return kg_gpu_hot(sampler->timer, &sampler->call, batch, held_calls, sample, err);
    case KG_TIMING_GRAPH:
        return kg_gpu_graph_time(sampler->timer, graph, batch / graph->calls, sample, err);
    case KG_TIMING_WALL:
        return kg_gpu_wall(sampler->timer, &sampler->call, sample, err);
    }
    return false;
}

static bool graph_make(struct kg_gpu_sampler *sampler, uint64_t batch, struct kg_gpu_graph *graph,
                       struct kg_error *err)
{
    *graph = (struct kg_gpu_graph){.calls = 1};
    return sampler->timing != KG_TIMING_GRAPH ||
           kg_gpu_graph_record(sampler->timer, &sampler->call, kg_gpu_graph_calls(batch), graph,
                               err);
}

/* The shortest of three samples: longer ones were disturbed, or not yet warm. */
static bool batch_time(struct kg_gpu_sampler *sampler, uint64_t batch, double *time_ns,
                       struct kg_error *err)
{
    struct kg_gpu_graph graph;
    struct kg_gpu_sample sample;
    *time_ns = INFINITY;
    if (!graph_make(sampler, batch, &graph, err))
        return false;
    bool good = true;
    for (int i = 0; good && i < 3; i++) {
        good = sample_take(sampler, batch, &graph, &sample, err);
        *time_ns = good ? fmin(*time_ns, sample.time_ns) : NAN;
    }
    kg_gpu_graph_free(sampler->timer, &graph);
    return good;
}

bool kg_gpu_sampler_batch(struct kg_gpu_sampler *sampler, uint64_t reference, uint64_t *batch,
                          struct kg_error *err)
{
    /* The first times may include a cold call, gaps, or the host's work if the call waits for the
     * device. So the time of a batch may show that more calls are needed. */
    enum { LOOKS = 3 };
    struct kg_gpu_batch_facts facts = {
        .gpu_ns = sampler->call_timing.gpu_ns,
        .launch_ns = sampler->call_timing.launch_ns,
        .resolution_ns = sampler->timer->resolution_ns,
        .held_calls = sampler->call_timing.held_calls,
        .reference = reference,
    };
    *batch = kg_gpu_batch(sampler->timing, &facts);
    const bool first_time_is_the_hosts =
        sampler->timing == KG_TIMING_GRAPH && !sampler->call_timing.held_calls;
    if ((*batch > 1 || first_time_is_the_hosts) && !kg_gpu_warm(sampler->timer, err))
        return false;
    for (int i = 0; (*batch > 1 || first_time_is_the_hosts) && i < LOOKS; i++) {
        if (!batch_time(sampler, *batch, &facts.gpu_ns, err))
            return false;
        const uint64_t wanted = kg_gpu_batch(sampler->timing, &facts);
        if (wanted <= *batch)
            break;
        *batch = wanted;
    }
    return true;
}

/* Finds the clock of the last sample, number `at`, and of earlier samples that still lack a clock. */
static void clock_follow(struct kg_gpu_sampling *sampling, const struct kg_gpu_sample *sample,
                         double *clocks, size_t at)
{
    const struct kg_stamps *stamps = sampling->sampler->timer->shared->stamps;
    clocks[at] = sample->sm_clock_hz;
    if (!sampling->grouping && !isnan(sample->sm_clock_hz)) {
        sampling->clock_hz = sample->sm_clock_hz;
        return;
    }
    if (!sampling->grouping) {
        sampling->grouping = true;
        sampling->group_first = at;
        sampling->group_stamps = stamps[KG_STAMPS_BEFORE];
    }
    const double hz =
        kg_stamps_clock_hz(&sampling->group_stamps, &stamps[KG_STAMPS_AFTER], KG_STAMPS_LEAST_NS);
    if (isnan(hz))
        return;
    for (size_t i = sampling->group_first; i <= at; i++)
        clocks[i] = hz;
    sampling->clock_hz = hz;
    sampling->grouping = false;
}

/* The last group may be too short for a clock of its own. It gets the clock of the group before. */
static void clock_finish(struct kg_gpu_sampling *sampling, double *clocks, size_t count)
{
    for (size_t i = sampling->group_first; sampling->grouping && i < count; i++)
        clocks[i] = sampling->clock_hz;
    sampling->grouping = false;
}

/* Makes room for another reading of the warm-up if the buffer is full: only the last ones count. */
static size_t warm_up_room(struct kg_gpu_sampling *sampling, size_t count)
{
    const struct kg_gpu_sampler *sampler = sampling->sampler;
    double *times = figures(sampler, TIME), *clocks = figures(sampler, CLOCK);
    if (count < sampler->capacity)
        return count;
    const size_t half = sampler->capacity / 2;
    const size_t kept = half < KG_GPU_SETTLED_MOST ? half : KG_GPU_SETTLED_MOST;
    const size_t gone = count - kept;
    memmove(times, times + gone, kept * sizeof *times);
    memmove(clocks, clocks + gone, kept * sizeof *clocks);
    sampling->group_first = sampling->group_first > gone ? sampling->group_first - gone : 0;
    return kept;
}

/* Of the case itself, on a device that is warm. */
static bool warm_up(struct kg_gpu_sampling *sampling, struct kg_error *err)
{
    struct kg_gpu_sampler *sampler = sampling->sampler;
    const uint64_t start = kg_clock_ns();
    double *times = figures(sampler, TIME), *clocks = figures(sampler, CLOCK);
    const double min_time_ns = sampler->min_time_ns;
    bool warm = false;
    for (size_t count = 0; !warm;) {
        struct kg_gpu_sample sample;
        if (!sample_take(sampler, sampling->batch, &sampling->graph, &sample, err))
            return false;
        count = warm_up_room(sampling, count);
        clock_follow(sampling, &sample, clocks, count);
        sampling->highest_hz = fmax(sampling->highest_hz, sample.sm_clock_hz);
        times[count++] = sample.time_ns;
        sampling->warm_up_ns = (double)(kg_clock_ns() - start);
        warm = kg_gpu_warm_enough(sampling->warm_up_ns, min_time_ns, false) ||
               (kg_gpu_warm_enough(sampling->warm_up_ns, min_time_ns, true) &&
                kg_gpu_settled(times, clocks, count,
                               sampler->timer->resolution_ns / (double)sampling->batch));
    }
    sampling->grouping = false;
    return true;
}

bool kg_gpu_sampling_begin(struct kg_gpu_sampling *sampling, struct kg_gpu_sampler *sampler,
                           uint64_t batch, struct kg_error *err)
{
    struct kg_gpu_sample first;
    *sampling = (struct kg_gpu_sampling){
        .sampler = sampler, .batch = batch, .clock_hz = NAN, .highest_hz = NAN};
    /* The first call in a process loads modules, which waits for the device, and cannot be
     * recorded: so it is neither held nor recorded. */
    if (!kg_gpu_wall(sampler->timer, &sampler->call, &first, err) ||
        !graph_make(sampler, batch, &sampling->graph, err))
        return false;
    if (!kg_gpu_warm(sampler->timer, err) || !warm_up(sampling, err)) {
        kg_gpu_sampling_free(sampling);
        return false;
    }
    getrusage(RUSAGE_SELF, &sampling->before);
    return true;
}

bool kg_gpu_sampling_warm(struct kg_gpu_sampling *sampling, double time_ns, struct kg_error *err)
{
    const uint64_t start = kg_clock_ns();
    while ((double)(kg_clock_ns() - start) < time_ns) {
        struct kg_gpu_sample sample;
        if (!sample_take(sampling->sampler, sampling->batch, &sampling->graph, &sample, err))
            return false;
    }
    sampling->warm_up_ns += (double)(kg_clock_ns() - start);
    return true;
}

static void samples_thin(struct kg_gpu_sampling *sampling)
{
    size_t left = 0;
    for (int i = 0; i < KG_GPU_FIGURES; i++)
        left = kg_samples_thin(figures(sampling->sampler, (enum figure)i), sampling->count);
    sampling->count = left;
    sampling->group_first = (sampling->group_first + 1) / 2;
}

static void sample_add(struct kg_gpu_sampling *sampling, const struct kg_gpu_sample *sample)
{
    const struct kg_gpu_sampler *sampler = sampling->sampler;
    if (sampling->count == sampler->capacity)
        samples_thin(sampling);
    clock_follow(sampling, sample, figures(sampler, CLOCK), sampling->count);
    figures(sampler, TIME)[sampling->count] = sample->time_ns;
    figures(sampler, LAUNCH)[sampling->count] = sample->launch_ns;
    sampling->count++;
    sampling->taken++;
    sampling->cpu_ns += sample->cpu_ns * (double)sampling->batch;
}

/* Whether this launch should have been blocked, and was not. */
static bool hold_missed(const struct kg_gpu_sampling *sampling, const struct kg_gpu_sample *sample)
{
    const struct kg_gpu_sampler *sampler = sampling->sampler;
    const bool wanted = sampler->timing == KG_TIMING_GRAPH ||
                        (sampler->timing != KG_TIMING_WALL && sampler->call_timing.held_calls > 0);
    return wanted && sampler->timer->holds && !sample->held;
}

/* Throttled samples of a round that are dropped, with a pause each. More show how the device works. */
enum { SLOW_MOST = 8 };

/* Whether the device was throttled during the sample. Notes the highest clock. */
static bool throttled(struct kg_gpu_sampling *sampling, const struct kg_gpu_sample *sample)
{
    if (sampling->sampler->timing == KG_TIMING_WALL)
        return false;
    sampling->highest_hz = fmax(sampling->highest_hz, sample->sm_clock_hz);
    return kg_gpu_sample_slow(sample->sm_clock_hz, sampling->highest_hz);
}

/* Waits after a throttled sample; returns the time. */
static uint64_t recover(struct kg_gpu_sampling *sampling)
{
    const uint64_t start = kg_clock_ns();
    const double pause_ns = kg_gpu_recovery_ns(++sampling->slow);
    nanosleep(&(struct timespec){.tv_nsec = (long)pause_ns}, NULL);
    return kg_clock_ns() - start;
}

/* Whether a piece of `samples` so far is complete. */
static bool piece_done(const struct kg_gpu_sampling *sampling, uint64_t samples, double spent_ns,
                       double elapsed_ns, double time_ns)
{
    const struct kg_gpu_sampler *sampler = sampling->sampler;
    const bool timed_out = samples && kg_gpu_round_done(spent_ns, elapsed_ns, time_ns);
    if (!sampler->iterations)
        return timed_out;
    return sampling->taken * sampling->batch >= sampler->iterations ||
           (sampler->piece_calls &&
            (samples * sampling->batch >= sampler->piece_calls || timed_out));
}

bool kg_gpu_sampling_run(struct kg_gpu_sampling *sampling, double time_ns, double *measured_ns,
                         struct kg_error *err)
{
    struct kg_gpu_sampler *sampler = sampling->sampler;
    uint64_t start = kg_clock_ns();
    const uint64_t taken_before = sampling->taken;
    double spent_ns = 0;
    while (!piece_done(sampling, sampling->taken - taken_before, spent_ns,
                       (double)(kg_clock_ns() - start), time_ns)) {
        struct kg_gpu_sample sample;
        if (!sample_take(sampler, sampling->batch, &sampling->graph, &sample, err))
            return false;
        if (hold_missed(sampling, &sample) &&
            kg_gpu_sample_dropped(sampling->taken, sampling->dropped)) {
            sampling->dropped++;
            continue;
        }
        if (throttled(sampling, &sample) && sampling->slow < SLOW_MOST) {
            start += recover(sampling);
            continue;
        }
        sample_add(sampling, &sample);
        spent_ns += sample.time_ns * (double)sampling->batch;
    }
    sampling->spent_ns += spent_ns;
    *measured_ns += spent_ns;
    return true;
}

/* The host's time of whole calls. */
static bool whole_calls_time(struct kg_gpu_sampling *sampling, double *call_ns,
                             struct kg_error *err)
{
    struct kg_gpu_sampler *sampler = sampling->sampler;
    enum { MOST = 16 };
    double times[MOST];
    int count = kg_gpu_whole_calls(sampler->call_timing.call_ns, sampler->min_time_ns);
    count = count < MOST ? count : MOST;
    for (int i = 0; i < count; i++) {
        struct kg_gpu_sample sample;
        if (!kg_gpu_wall(sampler->timer, &sampler->call, &sample, err))
            return false;
        times[i] = sample.time_ns;
    }
    kg_sort(times, (size_t)count);
    *call_ns = kg_samples_rounded(kg_median_sorted(times, (size_t)count));
    return true;
}

/* The median of the known values; NaN if all are unknown. Sorts the known values to the front. */
static double known_median(double *values, size_t count)
{
    size_t known = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i]))
            values[known++] = values[i];
    kg_sort(values, known);
    return known ? kg_median_sorted(values, known) : NAN;
}

/* Takes the medians of launch times, then of cycles, which are put in their place, then of clocks:
 * each median reorders its values. Times of the host have no cycles, since they are not the
 * multiprocessors' work alone. */
static void clocks_summarize(struct kg_gpu_sampling *sampling, struct kg_round *round)
{
    const struct kg_gpu_sampler *sampler = sampling->sampler;
    const double *times = figures(sampler, TIME);
    double *clocks = figures(sampler, CLOCK), *launches = figures(sampler, LAUNCH);
    double *cycles = launches;
    clock_finish(sampling, clocks, sampling->count);
    round->launch_ns = kg_samples_rounded(known_median(launches, sampling->count));
    for (size_t i = 0; i < sampling->count; i++)
        cycles[i] = sampler->timing == KG_TIMING_WALL ? NAN : 1e-9 * times[i] * clocks[i];
    round->median_cycles = kg_samples_rounded(known_median(cycles, sampling->count));
    round->sm_clock_hz = rint(known_median(clocks, sampling->count));
    round->pulse_ns = kg_samples_rounded(1e9 * KG_PULSE_CYCLES / round->sm_clock_hz);
}

bool kg_gpu_sampling_end(struct kg_gpu_sampling *sampling, struct kg_arena *arena,
                         struct kg_round *round, struct kg_error *err)
{
    const struct kg_gpu_sampler *sampler = sampling->sampler;
    struct kg_usage usage = {0};
    struct rusage after;
    getrusage(RUSAGE_SELF, &after);
    if (!sampling->count)
        return kg_error_set(err, KG_ERROR_MEASURE, "a round without a sample");
    *round = (struct kg_round){KG_ROUND_ON_CPU,
                               .batch = sampling->batch,
                               .warm_up_ns = sampling->warm_up_ns,
                               .wall_ns = sampling->spent_ns,
                               .calls = sampling->taken * sampling->batch,
                               .base_ratio = NAN};
    round->timer_overhead_ns = kg_samples_rounded(sampler->timer->overhead_ns);
    round->cpu_ns = kg_samples_rounded(sampling->cpu_ns / (double)round->calls);
    kg_usage_add(&usage, &sampling->before, &after);
    kg_usage_record(round, &usage);
    clocks_summarize(sampling, round);
    kg_samples_keep(figures(sampler, TIME), sampling->count, sampling->taken, arena, round);
    kg_samples_summarize(figures(sampler, TIME), sampling->count, round);
    if (!(round->median_ns > 0))
        return kg_error_set(err, KG_ERROR_MEASURE,
                            "a call puts nothing on its stream, or less than the device's timer "
                            "shows");
    if (sampler->timing != KG_TIMING_WALL)
        return whole_calls_time(sampling, &round->call_ns, err);
    round->call_ns = round->median_ns;
    return true;
}

void kg_gpu_sampling_free(struct kg_gpu_sampling *sampling)
{
    kg_gpu_graph_free(sampling->sampler->timer, &sampling->graph);
}

bool kg_gpu_sampler_round(struct kg_gpu_sampler *sampler, uint64_t batch, struct kg_arena *arena,
                          struct kg_round *round, struct kg_error *err)
{
    struct kg_gpu_sampling sampling;
    double measured_ns = 0;
    if (!kg_gpu_sampling_begin(&sampling, sampler, batch, err))
        return false;
    const bool good =
        kg_gpu_sampling_run(&sampling, fmax(1, sampler->min_time_ns), &measured_ns, err) &&
        kg_gpu_sampling_end(&sampling, arena, round, err);
    kg_gpu_sampling_free(&sampling);
    return good;
}
