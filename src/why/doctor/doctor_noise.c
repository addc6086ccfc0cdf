#include "why/doctor/doctor_noise.h"

#include <math.h>
#include <sched.h>
#include <string.h>

#include "base/clock.h"
#include "base/statistics/stats.h"

#define STRUCT kg_noise_series
static const struct kg_field series_fields[] = {
    KG_FIELD(samples, SIZE, "number of samples"),
    KG_FIELD(median_ns, REAL, "median time of a sample", KG_NULLABLE),
    KG_FIELD(spread, REAL, "95th percentile over the 5th, minus 1", KG_NULLABLE),
    KG_FIELD(slow_share, REAL, "share of samples more than 5 % above the median", KG_NULLABLE),
};
static const struct kg_record series_record =
    KG_RECORD_OF(series_fields, "Spread of equal pieces of work.");
#undef STRUCT

#define STRUCT kg_noise_cpu
static const struct kg_field cpu_fields[] = {
    KG_FIELD(cpu, COUNT, "number of the CPU"),
    KG_FIELD(compute, RECORD, "spread of computing on this CPU", KG_OF(series_record)),
    KG_FIELD(pause_ns, REAL, "longest time without the CPU", KG_NULLABLE),
};
static const struct kg_record cpu_record = KG_RECORD_OF(cpu_fields, "Noise of one CPU.");
#undef STRUCT

#define STRUCT kg_noise
static const struct kg_field noise_fields[] = {
    KG_FIELD(seconds, REAL, "time spent on measuring", KG_NULLABLE),
    KG_FIELD(pinned, BOOL, "whether kgate could pin itself to one CPU after another"),
    KG_FIELD(cpus_most, COUNT, "number of allowed CPUs"),
    KG_LIST(cpus, cpu_count, RECORDS, "measured CPUs", KG_OF(cpu_record)),
    KG_FIELD(compute, RECORD, "spread of computing on all CPUs", KG_OF(series_record)),
    KG_FIELD(memory, RECORD, "spread of copying memory, not pinned", KG_OF(series_record)),
    KG_FIELD(pause_ns, REAL, "longest time without the CPU", KG_NULLABLE),
    KG_FIELD(pause_cpu, COUNT, "CPU of the longest pause"),
};
const struct kg_record kg_noise_record = KG_RECORD_OF(noise_fields, "The measured noise of a "
                                                                    "machine.");
#undef STRUCT

/* Division of the time among the measurements; and minimum time for a CPU to be measured. */
static const double COMPUTE_SHARE = 0.4, PAUSE_SHARE = 0.3, MEMORY_SHARE = 0.3;
static const double CPU_LEAST_NS = 40e6;
/* Duration of a sample. A shorter one would show the steps of the clock and every interrupt. */
static const double SAMPLE_NS = 1e6, MEMORY_SAMPLE_NS = 3e6;
/* Minimum number of samples for a meaningful median and percentiles, even in a short time. */
enum { SAMPLES_LEAST = 7 };
enum { COPY_BYTES = 16 << 20 };

struct kg_noise_series kg_noise_series_make(double *times_ns, size_t n)
{
    static const double SLOW = 1.05;
    struct kg_noise_series series = {n, NAN, NAN, NAN};
    size_t slow = 0;
    if (!n)
        return series;
    kg_sort(times_ns, n);
    series.median_ns = kg_median_sorted(times_ns, n);
    series.spread =
        kg_quantile_sorted(times_ns, n, 0.95) / kg_quantile_sorted(times_ns, n, 0.05) - 1;
    while (slow < n && times_ns[n - 1 - slow] > SLOW * series.median_ns)
        slow++;
    series.slow_share = (double)slow / (double)n;
    return series;
}

struct kg_noise kg_noise_none(void)
{
    const struct kg_noise_series none = {0, NAN, NAN, NAN};
    return (struct kg_noise){.compute = none, .memory = none, .pause_ns = NAN};
}

/* Four independent chains fill a core's multipliers, so that a busy sibling thread shows. */
static uint64_t compute(uint64_t iterations)
{
    uint64_t a = 1, b = 2, c = 3, d = 4;
    for (uint64_t i = 0; i < iterations; i++) {
        a = a * UINT64_C(6364136223846793005) + i;
        b = b * UINT64_C(3202034522624059733) + i;
        c = c * UINT64_C(3935559000370003845) + i;
        d = d * UINT64_C(2862933555777941757) + i;
    }
    return a ^ b ^ c ^ d;
}

struct work {
    uint64_t repetitions;
    unsigned char *from;
    unsigned char *into;
};

static double compute_time(const struct work *work)
{
    const uint64_t start = kg_clock_ns();
    volatile uint64_t kept = compute(work->repetitions);
    (void)kept;
    return (double)(kg_clock_ns() - start);
}

static double copy_time(const struct work *work)
{
    const uint64_t start = kg_clock_ns();
    for (uint64_t i = 0; i < work->repetitions; i++)
        memcpy(work->into, work->from, COPY_BYTES);
    return (double)(kg_clock_ns() - start);
}

/* Sets the repetitions for about `ns`. The clock rises during the first milliseconds of work, so
 * the fastest of several tries counts. */
static void repetitions_find(double (*time)(const struct work *), struct work *work, double ns)
{
    enum { TRIES = 20 };
    double least = INFINITY;
    work->repetitions = 1;
    while (time(work) < ns / 2)
        work->repetitions *= 2;
    for (int i = 0; i < TRIES; i++)
        least = fmin(least, time(work));
    const double repetitions = (double)work->repetitions * ns / fmax(1, least);
    work->repetitions = repetitions < 1 ? 1 : (uint64_t)repetitions;
}

/* Number of samples in `ns`, with room for samples four times as fast as planned. */
static size_t room(double ns)
{
    return SAMPLES_LEAST + (size_t)(4 * ns / SAMPLE_NS);
}

/* Repeats one piece of work for `ns`. Returns the number of times written. */
static size_t repeat(double (*time)(const struct work *), const struct work *work, double ns,
                     double *times, size_t most)
{
    size_t count = 0;
    /* the first run on a new CPU has cold caches */
    time(work);
    const uint64_t start = kg_clock_ns();
    while (count < most && (count < SAMPLES_LEAST || (double)(kg_clock_ns() - start) < ns))
        times[count++] = fmax(1, time(work));
    return count;
}

static double pause_longest(double ns)
{
    const uint64_t start = kg_clock_ns();
    uint64_t last = start, longest = 0;
    while ((double)(last - start) < ns) {
        const uint64_t now = kg_clock_ns();
        longest = now - last > longest ? now - last : longest;
        last = now;
    }
    return (double)longest;
}

/* The `index`-th CPU of the set. */
static size_t cpu_at(const cpu_set_t *set, size_t index)
{
    for (size_t i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, set) && index-- == 0)
            return i;
    return 0;
}

static bool pin(size_t cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0;
}

/* Measures compute and pauses on each of the CPUs. `times` gets all samples, one CPU after the
 * other. */
static void cpus_measure(const cpu_set_t *allowed, struct kg_noise *noise, double *times,
                         size_t most)
{
    const double each = 1e9 * noise->seconds / (double)noise->cpu_count;
    const size_t share = most / noise->cpu_count;
    struct work work = {0};
    size_t used = 0;
    for (size_t i = 0; i < noise->cpu_count; i++) {
        struct kg_noise_cpu *cpu = &noise->cpus[i];
        cpu->cpu = cpu_at(allowed, i * (size_t)noise->cpus_most / noise->cpu_count);
        noise->pinned = noise->pinned && pin((size_t)cpu->cpu);
        if (!work.repetitions)
            repetitions_find(compute_time, &work, SAMPLE_NS);
        const size_t count = repeat(compute_time, &work, COMPUTE_SHARE * each, times + used, share);
        cpu->compute = kg_noise_series_make(times + used, count);
        used += count;
        cpu->pause_ns = pause_longest(PAUSE_SHARE * each);
        if (!(cpu->pause_ns <= noise->pause_ns)) {
            noise->pause_ns = cpu->pause_ns;
            noise->pause_cpu = cpu->cpu;
        }
    }
    noise->compute = kg_noise_series_make(times, used);
}

static void memory_measure(struct kg_arena *scratch, struct kg_noise *noise)
{
    const double ns = 1e9 * noise->seconds * MEMORY_SHARE;
    const size_t most = room(ns);
    double *times = kg_arena_alloc(scratch, most, sizeof *times);
    struct work work = {.from = kg_arena_alloc(scratch, COPY_BYTES, 1),
                        .into = kg_arena_alloc(scratch, COPY_BYTES, 1)};
    /* unwritten pages share one physical page, so nothing would be read */
    memset(work.from, 1, COPY_BYTES);
    memset(work.into, 2, COPY_BYTES);
    repetitions_find(copy_time, &work, MEMORY_SAMPLE_NS);
    noise->memory = kg_noise_series_make(times, repeat(copy_time, &work, ns, times, most));
}

void kg_noise_measure(double seconds, struct kg_arena *arena, struct kg_noise *noise)
{
    struct kg_arena scratch = {0};
    cpu_set_t allowed;
    *noise = kg_noise_none();
    noise->seconds = seconds;
    CPU_ZERO(&allowed);
    const bool known = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
    /* some sandboxes refuse sched_setaffinity even for an allowed CPU */
    noise->pinned = known && pin(cpu_at(&allowed, 0));
    noise->cpus_most = noise->pinned ? (uint64_t)CPU_COUNT(&allowed) : 1;
    const double ns = 1e9 * seconds * COMPUTE_SHARE;
    const double reach = fmax(1, ns / CPU_LEAST_NS);
    noise->cpu_count = reach < (double)noise->cpus_most ? (size_t)reach : (size_t)noise->cpus_most;
    noise->cpus = kg_arena_alloc(arena, noise->cpu_count, sizeof *noise->cpus);
    const size_t most = room(ns) + noise->cpu_count * SAMPLES_LEAST;
    double *times = kg_arena_alloc(&scratch, most, sizeof *times);
    cpus_measure(&allowed, noise, times, most);
    if (known)
        sched_setaffinity(0, sizeof allowed, &allowed);
    memory_measure(&scratch, noise);
    kg_arena_free(&scratch);
}
