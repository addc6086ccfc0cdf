#include "run/timing/timed_loop.h"

#include <math.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/statistics/stats.h"
#include "run/timing/samples.h"

/* Long enough for the clock; and of all batches that are, the shortest: an interrupt then spoils one
 * sample among many, which the median ignores. */
static const double SAMPLE_NS = 50e3;
static const double RESOLUTION_SHARE = 0.001;
/* Batches are powers of BATCH_STEP. With larger steps, two searches seldom choose different batches. */
enum { BATCH_STEP = 4 };
/* Numbers and times of trials before kgate accepts a batch as long enough. A call too long to batch needs
 * fewer. */
enum { TRIALS_LEAST = 5, TRIALS_OF_LONG = 2 };
static const double TRIALS_NS = 3e6, TRIALS_LONG_NS = 30e6;
/* Limits for the batch of a reference: the clock's resolution is at most 2 % of a sample, and a sample
 * takes at most REFERENCE_LONGEST_NS. */
static const double REFERENCE_RESOLUTIONS = 50, REFERENCE_LONGEST_NS = 1e9;
static const double STABLE = 1.02;
static const double ROOM_LEAST = 512; /* samples */
static const double WARM_UP_SHARE = 0.1, WARM_UP_LEAST_NS = 1e6;
static const double PULSE_EVERY_NS = 1e6;

static double batch_time_ns(const struct kg_sampler *sampler, uint64_t batch)
{
    const uint64_t start = kg_clock_ns();
    for (uint64_t i = 0; i < batch; i++)
        sampler->run(sampler->state);
    const double ns = (double)(kg_clock_ns() - start);
    if (sampler->after)
        sampler->after(sampler->state);
    return ns;
}

size_t kg_sampler_room(double min_time_ns)
{
    const double samples = fmax(ROOM_LEAST, 4 * min_time_ns / SAMPLE_NS);
    return samples < KG_SAMPLES_MOST ? (size_t)samples : KG_SAMPLES_MOST;
}

/* Whether even an undisturbed batch takes target_ns. One shorter trial disproves it. A disturbance
 * only makes trials longer, so the fastest trial repeats best. */
static bool long_enough(const struct kg_sampler *sampler, uint64_t batch, double target_ns)
{
    double spent = 0;
    for (int trials = 0;; trials++) {
        if ((trials >= TRIALS_LEAST && spent >= TRIALS_NS) ||
            (trials >= TRIALS_OF_LONG && spent >= TRIALS_LONG_NS))
            return true;
        const double time = batch_time_ns(sampler, batch);
        if (time < target_ns)
            return false;
        spent += time;
    }
}

/* Whether samples with the reference's number of calls can be timed. A disturbance never makes a sample
 * too short. It makes a sample too long only if it lasts through three calls: the limit is hundreds
 * of times longer than any chosen batch. */
static bool reference_does(const struct kg_sampler *sampler, uint64_t reference)
{
    double call = INFINITY;
    for (int i = 0; i < 3 && reference > 1 && call * (double)reference > REFERENCE_LONGEST_NS; i++)
        call = fmin(call, batch_time_ns(sampler, 1));
    if (reference > 1 && call * (double)reference > REFERENCE_LONGEST_NS)
        return false;
    return batch_time_ns(sampler, reference) >= REFERENCE_RESOLUTIONS * sampler->resolution_ns;
}

uint64_t kg_sampler_batch(const struct kg_sampler *sampler, uint64_t reference)
{
    const double target = fmax(fmax(SAMPLE_NS, sampler->resolution_ns / RESOLUTION_SHARE),
                               2 * sampler->min_time_ns / KG_SAMPLES_MOST);
    if (reference && reference_does(sampler, reference))
        return reference;
    uint64_t batch = 1;
    while (batch < UINT64_C(1) << 60 && !long_enough(sampler, batch, target))
        batch *= BATCH_STEP;
    return batch;
}

static double settle(const struct kg_sampler *sampler)
{
    const uint64_t start = kg_clock_ns();
    if (sampler->settle)
        sampler->settle(sampler->owner);
    return (double)(kg_clock_ns() - start);
}

static double warm_up(const struct kg_sampler *sampler, uint64_t batch)
{
    const double most = fmax(WARM_UP_SHARE * sampler->min_time_ns, WARM_UP_LEAST_NS);
    double asked = 0, last[3] = {0};
    if (sampler->cold)
        return 0;
    for (uint64_t i = 0; i < sampler->warm_calls; i++)
        asked += batch_time_ns(sampler, 1);
    if (sampler->own_ns)
        return asked;
    double spent = settle(sampler);
    if (spent > most && sampler->settle && batch == 1)
        return asked + spent;
    for (int i = 0;; i++) {
        const double time = batch_time_ns(sampler, batch);
        spent += time;
        last[i % 3] = time;
        const double low = fmin(last[0], fmin(last[1], last[2]));
        const double high = fmax(last[0], fmax(last[1], last[2]));
        if ((low > 0 && high <= STABLE * low) || spent + time > most)
            return asked + spent;
    }
}

/* Takes a clock probe per measured millisecond, or per sample if that is longer: under 2 % of the
 * time. Returns whether one was due. */
static bool pulse_take(struct kg_pulses *pulses, double sample_ns)
{
    pulses->since_ns += sample_ns;
    if (pulses->since_ns < PULSE_EVERY_NS)
        return false;
    pulses->since_ns = 0;
    if (pulses->count < KG_PULSES_MOST)
        pulses->ns[pulses->count++] = kg_pulse_ns();
    return true;
}

static double pulses_median(struct kg_pulses *pulses)
{
    if (!pulses->count)
        return kg_samples_rounded(kg_pulse_ns());
    kg_sort(pulses->ns, pulses->count);
    return kg_samples_rounded(kg_median_sorted(pulses->ns, pulses->count));
}

static struct rusage usage_now(const struct kg_sampler *sampler)
{
    struct rusage usage;
    getrusage(sampler->children ? RUSAGE_CHILDREN : RUSAGE_SELF, &usage);
    return usage;
}

void kg_sampling_begin(struct kg_sampling *sampling, const struct kg_sampler *sampler,
                       uint64_t batch)
{
    *sampling = (struct kg_sampling){.sampler = sampler, .batch = batch};
    sampling->warm_up_ns = warm_up(sampler, batch);
}

/* Settles again between two samples. The usage of its calls is excluded. */
static void settle_again(struct kg_sampling *sampling, double measured_ns, struct rusage *before)
{
    const struct kg_sampler *sampler = sampling->sampler;
    const struct rusage until = usage_now(sampler);
    if (!sampler->settle_again || !sampler->settle_again(sampler->owner, measured_ns))
        return;
    kg_usage_add(&sampling->usage, before, &until);
    *before = usage_now(sampler);
}

/* Whether a piece of `samples` so far is complete. A process that measures itself already knows the time, and is one
 * sample. */
static bool piece_done(const struct kg_sampling *sampling, uint64_t samples, double spent_ns,
                       double time_ns)
{
    const struct kg_sampler *sampler = sampling->sampler;
    if (sampler->own_ns)
        return samples > 0;
    if (!sampler->iterations)
        return spent_ns >= time_ns;
    return sampling->taken * sampling->batch >= sampler->iterations ||
           (sampler->piece_calls &&
            (samples * sampling->batch >= sampler->piece_calls || spent_ns >= time_ns));
}

/* CPU time counts within the pieces only: between them a round may wait for its turn, and its threads
 * may spin. */
double kg_sampling_run(struct kg_sampling *sampling, double time_ns)
{
    const struct kg_sampler *sampler = sampling->sampler;
    struct rusage before = usage_now(sampler);
    const uint64_t first = sampling->taken;
    double spent = 0;
    while (!piece_done(sampling, sampling->taken - first, spent, time_ns)) {
        const double time = batch_time_ns(sampler, sampling->batch);
        spent += time;
        if (sampling->count == sampler->capacity)
            sampling->count = kg_samples_thin(sampler->buffer, sampling->count);
        sampler->buffer[sampling->count++] =
            sampler->own_ns ? sampler->own_ns(sampler->owner) : time / (double)sampling->batch;
        sampling->taken++;
        if (pulse_take(&sampling->pulses, time) &&
            !piece_done(sampling, sampling->taken - first, spent, time_ns))
            settle_again(sampling, sampling->spent_ns + spent, &before);
    }
    const struct rusage after = usage_now(sampler);
    kg_usage_add(&sampling->usage, &before, &after);
    sampling->spent_ns += spent;
    return spent;
}

bool kg_sampling_end(struct kg_sampling *sampling, struct kg_arena *arena, struct kg_round *round,
                     struct kg_error *err)
{
    const struct kg_sampler *sampler = sampling->sampler;
    if (!sampling->count)
        return kg_error_set(err, KG_ERROR_MEASURE, "a round without a sample");
    *round = (struct kg_round){KG_ROUND_ON_CPU,
                               .batch = sampling->batch,
                               .warm_up_ns = sampling->warm_up_ns,
                               .wall_ns = sampling->spent_ns,
                               .calls = sampling->taken * sampling->batch,
                               .base_ratio = NAN};
    round->pulse_ns = pulses_median(&sampling->pulses);
    round->cpu_ns = sampling->usage.cpu_ns / (double)round->calls;
    round->system_ns = sampling->usage.system_ns / (double)round->calls;
    round->user_ns = fmax(0, round->cpu_ns - round->system_ns);
    kg_usage_record(round, &sampling->usage);
    kg_samples_keep(sampler->buffer, sampling->count, sampling->taken, arena, round);
    kg_samples_summarize(sampler->buffer, sampling->count, round);
    if (!(round->median_ns > 0))
        return kg_error_set(err, KG_ERROR_MEASURE, "a call takes less than the clock can show");
    return true;
}
