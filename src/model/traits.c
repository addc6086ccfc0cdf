#include "model/traits.h"
#include "model/breakdown.h"

#include <math.h>
#include <string.h>

#include "base/statistics/stats.h"

enum { ROUNDS_MOST = 4096 };

/* Reading the clock probe between samples costs CPU time (under 2 %), and so does starting threads.
 * An excess below this over a whole number of busy cores does not count as another core. */
static const double CORES_SLACK = 0.1;

/* Quantile of the rounds for "cores busy". Other processes only ever lower that number, so a high
 * quantile shows the least disturbed rounds. */
static const double LEAST_DISTURBED = 0.75;

/* No machine does more than this per call or second, runs a call for over a year, or has more
 * threads. A file with a larger number is wrong: the number is unknown. */
static const double AMOUNT_MOST = 1e18;
static const double TIME_MOST_NS = 365.25 * 24 * 3600 * 1e9;
static const double THREADS_MOST = 1e5;

/* A case faster than a ceiling allows cannot be limited by it: its data lies in a nearer cache,
 * or its arithmetic is of another kind than the ceiling's. Measurement error allows this much
 * above 1. */
static const double BANDWIDTH_SHARE_MOST = 1.15;
static const double FLOPS_SHARE_MOST = 1.5;

/* An amount or a rate. Zero or missing: unknown. */
static double amount(double value)
{
    return value > 0 && value <= AMOUNT_MOST ? value : NAN;
}

/* An amount of whole things, such as bytes: at least 1, or unknown. */
static double one_or_more(double value)
{
    return value >= 1 ? amount(value) : NAN;
}

/* An amount that may be zero. */
static double non_negative(double value)
{
    return value >= 0 && value <= AMOUNT_MOST ? value : NAN;
}

static double duration(double ns)
{
    return ns > 0 && ns <= TIME_MOST_NS ? ns : NAN;
}

static double non_negative_duration(double ns)
{
    return ns >= 0 && ns <= TIME_MOST_NS ? ns : NAN;
}

static double thread_count(double threads)
{
    return threads > 0 && threads <= THREADS_MOST ? threads : NAN;
}

static double ratio(double value, double of)
{
    return non_negative(non_negative(value) / amount(of));
}

static double rate(double value, double time_ns)
{
    return amount(1e9 * amount(value) / amount(time_ns));
}

/* The quantile p of a number over the rounds that know it. */
static double rounds_quantile(const struct kg_case_result *result, double p,
                              double (*figure)(const struct kg_round *round))
{
    double values[ROUNDS_MOST];
    size_t known = 0;
    for (size_t i = 0; i < result->round_count && known < ROUNDS_MOST; i++) {
        const double value = figure(&result->rounds[i]);
        if (!isnan(value))
            values[known++] = value;
    }
    kg_sort(values, known);
    return known ? kg_quantile_sorted(values, known, p) : NAN;
}

static double cores_busy(const struct kg_round *round)
{
    return ratio(round->cpu_ns, ratio(round->wall_ns, (double)round->calls));
}

static double kernel_time(const struct kg_round *round)
{
    return non_negative(round->system_ns);
}

/* The next three are counted from the end of warm-up to the end of the last sample. */
static double page_faults(const struct kg_round *round)
{
    return ratio((double)round->minor_faults, (double)round->calls);
}

static double waits(const struct kg_round *round)
{
    return ratio((double)round->voluntary_switches, (double)round->calls);
}

static double preempted(const struct kg_round *round)
{
    return ratio((double)round->involuntary_switches, (double)round->calls);
}

/* The median of a counter from another source than the workload; NaN without such a counter. */
static double counter_median(const struct kg_case_result *result, const char *name)
{
    double values[ROUNDS_MOST];
    for (size_t i = 0; i < result->series_count; i++) {
        const struct kg_series *counter = &result->series[i];
        if (!strcmp(counter->source, KG_SERIES_OF_WORKLOAD) || strcmp(counter->name, name) != 0 ||
            !counter->value_count || counter->value_count > ROUNDS_MOST)
            continue;
        return kg_median_of(counter->values, counter->value_count, values);
    }
    return NAN;
}

static void work_find(const struct kg_case_work *work, struct kg_traits *traits)
{
    traits->items = amount(work->items);
    traits->bytes = one_or_more(work->bytes);
    traits->flops = one_or_more(work->flops);
    traits->bytes_per_s = rate(traits->bytes, traits->time_ns);
    traits->flops_per_s = rate(traits->flops, traits->time_ns);
    traits->intensity = amount(ratio(traits->flops, traits->bytes));
}

/* Number of threads at work; NaN if unknown. */
static double threads_busy(const struct kg_traits *traits)
{
    return isnan(traits->cores_busy) ? NAN : fmax(1, ceil(traits->cores_busy - CORES_SLACK));
}

static void counts_find(const struct kg_results *results, const struct kg_case_result *result,
                        struct kg_traits *traits)
{
    const struct kg_look *look = &result->look;
    /* a thread that waits, or whose core does something else, has no cycles */
    const double busy_ns = fmin(traits->time_ns, duration(traits->cpu_ns));
    const double cycles = 1e-9 * busy_ns * amount(results->cpu_ceilings.clock_hz);
    const bool one_thread = traits->threads == 1 || threads_busy(traits) == 1;
    traits->alone_ns = duration(look->alone_ns);
    traits->instructions = amount(look->instructions);
    if (isnan(traits->instructions))
        traits->instructions = amount(counter_median(result, "instructions"));
    traits->instructions_per_cycle = one_thread ? amount(ratio(traits->instructions, cycles)) : NAN;
    traits->flops_per_instruction = amount(ratio(traits->flops, traits->instructions));
    traits->line_bytes = amount(look->line_bytes);
    traits->memory_line_bytes = look->source ? non_negative(look->memory_line_bytes) : NAN;
}

/* Cache level of the working set; NaN if its size, the threads or all cache sizes are unknown. */
static double cpu_level(const struct kg_cpu_ceilings *ceilings, double bytes, double threads)
{
    const bool caches = ceilings->l1_bytes > 0 || ceilings->l2_bytes > 0 || ceilings->l3_bytes > 0;
    return isnan(bytes) || isnan(threads) || !caches
               ? NAN
               : (double)kg_cpu_level(ceilings, bytes, threads);
}

/* Size of the working set. A call touches at most the bytes that it moves, or, if lines were
 * counted, brings in. It touches at most the allocated bytes. Lines can come in more than once, so
 * the peak memory is a limit too. */
static double cpu_working_set(const struct kg_traits *traits)
{
    const double touched = isnan(traits->bytes) ? NAN : fmax(traits->bytes, traits->line_bytes);
    const bool beyond_peak = isnan(traits->allocated_bytes) && touched > traits->peak_bytes;
    const double held = beyond_peak ? traits->peak_bytes
                                    : fmin(traits->allocated_bytes, touched); /* the known one */
    return isnan(held) ? amount(traits->peak_bytes) : held;
}

static void cpu_level_set(const struct kg_cpu_ceilings *ceilings, double threads,
                          enum kg_cache_level level, struct kg_traits *traits)
{
    traits->level = (double)level;
    traits->bandwidth_ceiling_bytes_per_s = amount(kg_cpu_bandwidth(ceilings, level, threads));
    traits->bandwidth_share =
        amount(ratio(traits->bytes_per_s, traits->bandwidth_ceiling_bytes_per_s));
}

static void bandwidth_forget(struct kg_traits *traits)
{
    traits->level = traits->bandwidth_ceiling_bytes_per_s = traits->bandwidth_share = NAN;
}

/* The cache level of the working set. A call that moves data faster than that level allows must
 * find it in a nearer one: the first that is fast enough, else none. */
static void cpu_bandwidth_find(const struct kg_cpu_ceilings *ceilings, double threads,
                               struct kg_traits *traits)
{
    const double lies_in = cpu_level(ceilings, traits->working_set_bytes, threads);
    if (isnan(lies_in))
        return;
    for (int level = (int)lies_in; level >= KG_LEVEL_L1; level--) {
        cpu_level_set(ceilings, threads, (enum kg_cache_level)level, traits);
        if (traits->bandwidth_share <= BANDWIDTH_SHARE_MOST ||
            (level == (int)lies_in && isnan(traits->bandwidth_share)))
            return;
    }
    bandwidth_forget(traits);
}

static void flops_check(struct kg_traits *traits)
{
    if (traits->flops_share > FLOPS_SHARE_MOST)
        traits->flops_ceiling_per_s = traits->flops_share = NAN;
}

/* A command has no ceilings: its work is unknown, and its time includes starting a process. The
 * ceiling of arithmetic is for single precision; workloads with other arithmetic say so. */
static void cpu_roofs_find(const struct kg_cpu_ceilings *ceilings,
                           const struct kg_case_result *result, struct kg_traits *traits)
{
    const double threads = isnan(traits->threads) ? threads_busy(traits) : traits->threads;
    const char *arithmetic = result->work.arithmetic;
    const struct kg_source_facts *source = kg_source_find(result->source);
    traits->working_set_bytes = cpu_working_set(traits);
    if (source && source->own_process)
        return;
    cpu_bandwidth_find(ceilings, threads, traits);
    if (!isnan(threads) && arithmetic && !strcmp(arithmetic, KG_ARITHMETIC_F32))
        traits->flops_ceiling_per_s = amount(kg_cpu_flops(ceilings, true, threads));
    traits->flops_share = amount(ratio(traits->flops_per_s, traits->flops_ceiling_per_s));
    flops_check(traits);
}

/* The ceiling for the flops of a case on the GPU, and the results' share of that ceiling. */
static void gpu_arithmetic_find(const struct kg_ceilings *ceilings, const struct kg_case_work *work,
                                struct kg_traits *traits)
{
    if (!work->arithmetic)
        return;
    if (!strcmp(work->arithmetic, KG_ARITHMETIC_F32)) {
        traits->flops_ceiling_per_s = amount(ceilings->fma_flops_per_s);
        traits->flops_share = amount(work->fma_share);
    } else if (!strcmp(work->arithmetic, KG_ARITHMETIC_BF16_TENSOR)) {
        traits->flops_ceiling_per_s =
            amount(isnan(work->tensor_share) ? ceilings->tensor_flops_per_s
                                             : ratio(work->flops_per_second, work->tensor_share));
        traits->flops_share = amount(work->tensor_share);
    }
    flops_check(traits);
}

static void gpu_roofs_find(const struct kg_results *results, const struct kg_case_result *result,
                           struct kg_traits *traits)
{
    const struct kg_ceilings *ceilings = &results->ceilings;
    traits->working_set_bytes =
        isnan(traits->allocated_bytes) ? traits->bytes : traits->allocated_bytes;
    gpu_arithmetic_find(ceilings, &result->work, traits);
    if (isnan(traits->bytes) || kg_case_spared_by_l2(results, result))
        return;
    traits->level = KG_LEVEL_MEMORY;
    traits->bandwidth_ceiling_bytes_per_s = amount(kg_memory_ceiling(ceilings, &result->work));
    traits->bandwidth_share = amount(result->work.bandwidth_share);
    if (traits->bandwidth_share > BANDWIDTH_SHARE_MOST)
        bandwidth_forget(traits);
}

/* The roofline's least time: the longer of moving the bytes and computing the flops. NaN if a
 * needed ceiling is unknown: the other alone would give too small a time. */
static double roof_time(const struct kg_traits *traits)
{
    const double moving = 1e9 * ratio(traits->bytes, traits->bandwidth_ceiling_bytes_per_s);
    const double computing = 1e9 * ratio(traits->flops, traits->flops_ceiling_per_s);
    const bool all =
        (isnan(traits->bytes) || !isnan(moving)) && (isnan(traits->flops) || !isnan(computing));
    return all ? duration(fmax(moving, computing)) : NAN;
}

const struct kg_kernel_use *kg_trace_main_kernel(const struct kg_trace *trace)
{
    const struct kg_kernel_use *longest = NULL;
    for (size_t i = 0; i < trace->kernel_count; i++) {
        const struct kg_kernel_use *kernel = &trace->kernels[i];
        if (!isnan(duration(kernel->gpu_ns)) && (!longest || kernel->gpu_ns > longest->gpu_ns))
            longest = kernel;
    }
    return longest || trace->kernel_count != 1 ? longest : trace->kernels;
}

/* Tracing slows the traced calls, so their times are scaled like the breakdown's parts. */
static double scaled(double seen_ns, const struct kg_trace *trace,
                     const struct kg_breakdown *breakdown)
{
    const double seen = trace->kernel_ns + trace->transfer_ns + trace->other_ns;
    const double scale = amount(ratio(breakdown->gpu_ns + breakdown->transfer_ns, seen));
    return non_negative_duration(seen_ns * (isnan(scale) ? 1 : scale));
}

static void main_kernel_find(const struct kg_trace *trace, const struct kg_breakdown *breakdown,
                             struct kg_traits *traits)
{
    const struct kg_kernel_use *kernel = kg_trace_main_kernel(trace);
    if (!kernel)
        return;
    traits->main_kernel_ns = isnan(duration(kernel->gpu_ns))
                                 ? traits->gpu_ns
                                 : fmin(scaled(kernel->gpu_ns, trace, breakdown), traits->gpu_ns);
    traits->occupancy = amount(kernel->occupancy);
    traits->waves = amount(kernel->waves);
    traits->local_bytes = non_negative(kernel->local_bytes);
}

/* Launches of kernels only; the trace also counts copies and fills. */
static double kernel_launches(const struct kg_trace *trace)
{
    double sum = trace->kernel_count || trace->launches == 0 ? 0 : NAN;
    for (size_t i = 0; i < trace->kernel_count; i++)
        sum += trace->kernels[i].launches;
    return non_negative(sum);
}

static double launch_time(const struct kg_round *round)
{
    return non_negative_duration(round->launch_ns);
}

/* Whether launch_ns is the cost of launching. With other timings the host launches a whole graph at
 * once, or waits in between. */
static bool launches_one_by_one(const char *timing)
{
    return !strcmp(timing, kg_timing_names[KG_TIMING_COLD]) ||
           !strcmp(timing, kg_timing_names[KG_TIMING_HOT]);
}

static void gpu_find(const struct kg_results *results, const struct kg_case_result *result,
                     struct kg_traits *traits)
{
    const struct kg_trace *trace = &result->trace;
    traits->allocated_bytes = amount(result->memory.device_allocated_bytes);
    /* includes the memory of pools and libraries, if known */
    if (isfinite(result->memory.device_peak_bytes) && result->memory.device_peak_bytes > 0)
        traits->peak_bytes = amount(result->memory.device_peak_bytes);
    traits->memory_line_bytes = non_negative(counter_median(result, "dram_read_bytes") +
                                             counter_median(result, "dram_write_bytes"));
    traits->gpu_ns = non_negative_duration(result->breakdown.gpu_ns);
    traits->transfer_ns = non_negative_duration(result->breakdown.transfer_ns);
    traits->overhead_ns = non_negative_duration(result->breakdown.overhead_ns);
    traits->hidden_ns = scaled(trace->hidden_ns, trace, &result->breakdown);
    traits->gap_ns = scaled(trace->gap_ns, trace, &result->breakdown);
    if (launches_one_by_one(result->timing))
        traits->launch_ns = rounds_quantile(result, 0.5, launch_time);
    traits->launches = kernel_launches(trace);
    traits->to_device_bytes = non_negative(trace->to_device_bytes);
    traits->to_host_bytes = non_negative(trace->to_host_bytes);
    traits->pageable_bytes = non_negative(trace->pageable_bytes);
    main_kernel_find(trace, &result->breakdown, traits);
    gpu_roofs_find(results, result, traits);
}

/* Only for work on the host (a command that uses the GPU is a process like any other). In a
 * worker that times a GPU, the workload's faults and waits cannot be separated from the
 * timer's. */
static void host_find(const struct kg_results *results, const struct kg_case_result *result,
                      struct kg_traits *traits)
{
    traits->cores_busy = thread_count(rounds_quantile(result, LEAST_DISTURBED, cores_busy));
    if (!isnan(kg_case_peak_bytes(
            result))) { /* else another harness measured it, and reports neither */
        traits->kernel_ns = rounds_quantile(result, 0.5, kernel_time);
        traits->page_faults = rounds_quantile(result, 0.5, page_faults);
        traits->waits = rounds_quantile(result, 0.5, waits);
    }
    traits->preempted = rounds_quantile(result, 0.5, preempted);
    traits->allocated_bytes = amount((double)result->memory.allocated_bytes);
    counts_find(results, result, traits);
    cpu_roofs_find(&results->cpu_ceilings, result, traits);
}

void kg_traits_find(const struct kg_results *results, const struct kg_case_result *result,
                    struct kg_traits *traits)
{
    kg_traits_clear(traits);
    if (!result->round_count)
        return;
    traits->time_ns = duration(result->summary.median_ns);
    traits->cpu_ns = non_negative_duration(result->breakdown.cpu_ns);
    traits->threads = thread_count((double)result->threads);
    traits->peak_bytes = non_negative((double)result->memory.peak_bytes);
    work_find(&result->work, traits);
    if (result->timing)
        gpu_find(results, result, traits);
    else
        host_find(results, result, traits);
    traits->ridge =
        amount(ratio(traits->flops_ceiling_per_s, traits->bandwidth_ceiling_bytes_per_s));
    traits->roof_ns = roof_time(traits);
}
