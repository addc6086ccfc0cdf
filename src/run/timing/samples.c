#include "run/timing/samples.h"

#include <math.h>

#include "base/statistics/stats.h"

/* Of a round, for the error of its median; fewer samples than the least say nothing. Of a part so
 * many samples are looked at. */
enum { PARTS = 8, PARTS_LEAST = 4, PART_MOST = 512 };

uint64_t kg_batch_from(double calls)
{
    uint64_t power = 1;
    while ((double)power < calls && power < UINT64_C(1) << 62)
        power *= 2;
    return power;
}

double kg_samples_rounded(double ns)
{
    return round(ns * 1000) / 1000;
}

size_t kg_samples_thin(double *values, size_t count)
{
    for (size_t i = 0; i < count / 2; i++)
        values[i] = values[2 * i];
    return count / 2;
}

void kg_samples_keep(const double *samples_ns, size_t count, uint64_t taken, struct kg_arena *arena,
                     struct kg_round *round)
{
    const size_t kept = count < KG_ROUND_SAMPLES_MOST ? count : KG_ROUND_SAMPLES_MOST;
    round->samples_ns = kg_arena_alloc(arena, kept, sizeof *round->samples_ns);
    for (size_t i = 0; i < kept; i++)
        round->samples_ns[i] = kg_samples_rounded(samples_ns[i * count / kept]);
    round->sample_count = kept;
    round->samples_dropped = taken - kept;
}

/* Uses parts of consecutive samples. So a disturbance of several samples does not count as many
 * independent ones. */
static double median_error_ns(const double *samples_ns, size_t count)
{
    double medians[PARTS], part[PART_MOST];
    if (count < PARTS_LEAST)
        return NAN;
    const size_t parts = count < PARTS ? count : PARTS;
    for (size_t i = 0; i < parts; i++) {
        const size_t from = i * count / parts, to = (i + 1) * count / parts;
        const size_t step = (to - from + PART_MOST - 1) / PART_MOST;
        size_t taken = 0;
        for (size_t at = from; at < to; at += step)
            part[taken++] = samples_ns[at];
        kg_sort(part, taken);
        medians[i] = kg_median_sorted(part, taken);
    }
    return kg_standard_deviation(medians, parts) / sqrt((double)parts);
}

void kg_samples_summarize(double *samples_ns, size_t count, struct kg_round *round)
{
    round->mean_ns = kg_samples_rounded(kg_mean(samples_ns, count));
    round->median_error_ns = kg_samples_rounded(median_error_ns(samples_ns, count));
    kg_sort(samples_ns, count);
    round->median_ns = kg_samples_rounded(kg_median_sorted(samples_ns, count));
    round->min_ns = kg_samples_rounded(samples_ns[0]);
    round->max_ns = kg_samples_rounded(samples_ns[count - 1]);
    round->p95_ns = kg_samples_rounded(kg_quantile_sorted(samples_ns, count, 0.95));
}

static double system_ns(const struct rusage *usage)
{
    return 1e9 * (double)usage->ru_stime.tv_sec + 1e3 * (double)usage->ru_stime.tv_usec;
}

static double cpu_ns(const struct rusage *usage)
{
    return 1e9 * (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
           1e3 * (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
}

void kg_samples_clock(double clock_hz, double cycles, struct kg_round *round)
{
    static const double LEAST_HZ = 1e7, MOST_HZ = 1e11;
    const bool known = clock_hz >= LEAST_HZ && clock_hz <= MOST_HZ;
    const double by_median = 1e-9 * round->median_ns * clock_hz;
    round->sm_clock_hz = known ? rint(clock_hz) : NAN;
    round->pulse_ns = known ? kg_samples_rounded(1e9 * KG_PULSE_CYCLES / clock_hz) : NAN;
    round->median_cycles =
        known ? kg_samples_rounded(cycles > 0 && isfinite(cycles) ? cycles : by_median) : NAN;
}

void kg_usage_add(struct kg_usage *usage, const struct rusage *before, const struct rusage *after)
{
    usage->cpu_ns += cpu_ns(after) - cpu_ns(before);
    usage->system_ns += system_ns(after) - system_ns(before);
    usage->voluntary_switches += (uint64_t)(after->ru_nvcsw - before->ru_nvcsw);
    usage->involuntary_switches += (uint64_t)(after->ru_nivcsw - before->ru_nivcsw);
    usage->minor_faults += (uint64_t)(after->ru_minflt - before->ru_minflt);
    usage->major_faults += (uint64_t)(after->ru_majflt - before->ru_majflt);
}

void kg_usage_record(struct kg_round *round, const struct kg_usage *usage)
{
    round->voluntary_switches = usage->voluntary_switches;
    round->involuntary_switches = usage->involuntary_switches;
    round->minor_faults = usage->minor_faults;
    round->major_faults = usage->major_faults;
}
