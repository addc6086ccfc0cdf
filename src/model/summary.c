#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics/stats.h"
#include "model/breakdown.h"
#include "model/disturbance.h"
#include "model/results.h"

enum { ROUNDS_MOST = 4096, READINGS_LEAST = 5 };

static double median_of(double *values, size_t count)
{
    kg_sort(values, count);
    return kg_median_sorted(values, count);
}

static double rate(double amount, double ns)
{
    return 1e9 * amount / ns;
}

/* The median over the readings of one member. */
static double probe_median(const struct kg_results *results, size_t offset)
{
    double values[KG_PROBES_MOST];
    const size_t count =
        results->probe_count < KG_PROBES_MOST ? results->probe_count : KG_PROBES_MOST;
    for (size_t i = 0; i < count; i++)
        values[i] = *(const double *)(const void *)((const char *)&results->probes[i] + offset);
    /* with one or two readings, a single interrupt would look like a slower machine */
    return count >= READINGS_LEAST ? median_of(values, count) : NAN;
}

struct kg_probe_reading kg_results_probe(const struct kg_results *results)
{
    return (struct kg_probe_reading){
        .at_ns = NAN,
        .pulse_ns = probe_median(results, offsetof(struct kg_probe_reading, pulse_ns)),
        .bandwidth_bytes_per_s =
            probe_median(results, offsetof(struct kg_probe_reading, bandwidth_bytes_per_s)),
        .latency_ns = probe_median(results, offsetof(struct kg_probe_reading, latency_ns)),
    };
}

/* Median of call_ns over the rounds that know it. */
static double call_median(const struct kg_round *const *rounds, size_t count)
{
    double values[ROUNDS_MOST];
    size_t known = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(rounds[i]->call_ns))
            values[known++] = rounds[i]->call_ns;
    return known ? median_of(values, known) : NAN;
}

/* For a case on the GPU. Its rounds' times are the device's, unless the suite asks for the
 * host's. */
static void device_divide(struct kg_case_result *result, const struct kg_round *const *rounds,
                          size_t count)
{
    const bool wall = !strcmp(result->timing, kg_timing_names[KG_TIMING_WALL]);
    const struct kg_call_times times = {
        .wall_ns = wall ? result->summary.median_ns : call_median(rounds, count),
        .device_ns = wall ? NAN : result->summary.median_ns,
        .cpu_ns = result->breakdown.cpu_ns,
    };
    struct kg_breakdown *breakdown = &result->breakdown;
    *breakdown = kg_breakdown_of_call(&times, &result->trace);
}

const char *kg_results_device_missed(const struct kg_results *results)
{
    for (size_t i = 0; i < results->case_count; i++) {
        const char *device = results->cases[i].device;
        bool all = true;
        for (size_t j = 0; j < results->case_count && all; j++)
            all = strcmp(results->cases[j].device, device) != 0 ||
                  results->cases[j].status == KG_STATUS_SKIPPED;
        if (all)
            return device;
    }
    return NULL;
}

/* The rounds of a summary: the judged rounds, or all if none is judged. */
static size_t rounds_choose(const struct kg_case_result *result,
                            const struct kg_round *rounds[ROUNDS_MOST])
{
    size_t judged = 0;
    for (size_t i = 0; i < result->round_count && judged < ROUNDS_MOST; i++)
        if (kg_round_judged(result, i))
            rounds[judged++] = &result->rounds[i];
    for (size_t i = 0; i < result->round_count && i < ROUNDS_MOST && !judged; i++)
        rounds[i] = &result->rounds[i];
    return judged ? judged : result->round_count < ROUNDS_MOST ? result->round_count : ROUNDS_MOST;
}

/* The median over the rounds of a member of type double. */
static double rounds_median(const struct kg_round *const *rounds, size_t count, size_t offset)
{
    double values[ROUNDS_MOST];
    for (size_t i = 0; i < count; i++)
        values[i] = *(const double *)(const void *)((const char *)rounds[i] + offset);
    return median_of(values, count);
}

bool kg_case_spared_by_l2(const struct kg_results *results, const struct kg_case_result *result)
{
    static const double SPARED_MOST = 1.0 / 16;
    const struct kg_gpu *gpu = kg_machine_gpu(&results->machine);
    const double bytes = result->work.bytes, written = result->work.written_bytes;
    if (!gpu)
        return false;
    const double l2_bytes = (double)gpu->l2_bytes;
    if (strcmp(result->timing, kg_timing_names[KG_TIMING_COLD]) != 0)
        return bytes <= l2_bytes;
    return fmin(isnan(written) ? bytes : written, l2_bytes) > SPARED_MOST * bytes;
}

/* The clock of the multiprocessors over the rounds of the summary; NaN: unknown. */
static double clock_median(const struct kg_case_result *result)
{
    const struct kg_round *rounds[ROUNDS_MOST];
    const size_t count = rounds_choose(result, rounds);
    return count ? 1e9 * rounds_median(rounds, count, offsetof(struct kg_round, median_cycles)) /
                       result->summary.median_ns
                 : NAN;
}

void kg_results_shares(struct kg_results *results)
{
    for (size_t i = 0; i < results->case_count; i++) {
        struct kg_case_result *result = &results->cases[i];
        if (result->timing)
            kg_work_shares(&results->ceilings, kg_case_spared_by_l2(results, result),
                           kg_tensor_ceiling(&results->ceilings, kg_machine_gpu(&results->machine),
                                             clock_median(result)),
                           &result->work);
    }
}

/* The 95th percentile of all samples, if every sample is kept. A round may have too few samples for
 * its own percentile: a command's round has one. Else the median of the rounds' percentiles. */
static double p95_of(const struct kg_round *const *rounds, size_t count)
{
    double samples[ROUNDS_MOST];
    size_t sample_count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct kg_round *round = rounds[i];
        if (!round->sample_count || round->samples_dropped ||
            round->sample_count > ROUNDS_MOST - sample_count)
            return rounds_median(rounds, count, offsetof(struct kg_round, p95_ns));
        memcpy(&samples[sample_count], round->samples_ns, round->sample_count * sizeof *samples);
        sample_count += round->sample_count;
    }
    kg_sort(samples, sample_count);
    return kg_quantile_sorted(samples, sample_count, 0.95);
}

static void times_summarize(const struct kg_round *const *rounds, size_t count,
                            struct kg_summary *summary)
{
    double medians[ROUNDS_MOST];
    summary->min_ns = rounds[0]->min_ns;
    summary->max_ns = rounds[0]->max_ns;
    for (size_t i = 0; i < count; i++) {
        medians[i] = rounds[i]->median_ns;
        summary->min_ns = fmin(summary->min_ns, rounds[i]->min_ns);
        summary->max_ns = fmax(summary->max_ns, rounds[i]->max_ns);
    }
    summary->mean_ns = kg_mean(medians, count);
    summary->standard_deviation_ns = kg_standard_deviation(medians, count);
    summary->median_ns = median_of(medians, count);
    const struct kg_interval interval = kg_median_interval(medians, count, 0.95);
    summary->interval_low_ns = interval.low;
    summary->interval_high_ns = interval.high;
    summary->p95_ns = p95_of(rounds, count);
}

double kg_case_peak_bytes(const struct kg_case_result *result)
{
    const uint64_t bytes = result->memory.peak_bytes;
    return bytes || isfinite(result->memory.device_allocated_bytes) ? (double)bytes : NAN;
}

void kg_case_summarize(struct kg_case_result *result)
{
    const struct kg_round *rounds[ROUNDS_MOST];
    double peaks[ROUNDS_MOST];
    const size_t count = rounds_choose(result, rounds);
    struct kg_summary *summary = &result->summary;
    *summary = (struct kg_summary){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    if (!count)
        return;
    times_summarize(rounds, count, summary);
    result->breakdown.wall_ns = summary->median_ns;
    result->breakdown.cpu_ns = rounds_median(rounds, count, offsetof(struct kg_round, cpu_ns));
    if (result->timing)
        device_divide(result, rounds, count);
    for (size_t i = 0; i < count; i++)
        peaks[i] = (double)rounds[i]->peak_bytes;
    result->memory.peak_bytes = (uint64_t)median_of(peaks, count);
    result->work.items_per_second = rate(result->work.items, summary->median_ns);
    result->work.bytes_per_second = rate(result->work.bytes, summary->median_ns);
    result->work.flops_per_second = rate(result->work.flops, summary->median_ns);
}
