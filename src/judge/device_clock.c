/* device_clock.c: how much of a GPU time's change the clocks explain. Work of the multiprocessors follows their clock,
 * so its time in cycles decides. Memory has a clock of its own, so the time of memory-bound work decides. At the power
 * limit the code itself sets the clock: code that draws more power gets a lower one. */
#include <math.h>
#include <string.h>

#include "base/statistics/stats.h"
#include "judge/gathering.h"
#include "model/throttle.h"

/* Share of the GPU's memory bandwidth. A workload above this share is memory-bound. */
static const double MEMORY_BOUND = 0.6;
/* Largest change of the multiprocessors' clock (a logarithm) that leaves a memory-bound workload memory-bound. */
static const double CLOCK_MOST = 0.1;
/* A power limit that is lower by more than this share explains a lower clock. */
static const double POWER_FELL = 0.03;

/* Whether the GPU's own timer measured the time. kgate then knows the clock of the multiprocessors and need not
 * estimate its effect. Rounds of another harness have that clock, and no timing of kgate's. */
static bool on_device(const struct kg_gathering *gathering)
{
    const struct kg_case_result *result = gathering->result;
    if (!gathering->row->timed)
        return false;
    return result->timing ? strcmp(result->timing, kg_timing_names[KG_TIMING_WALL]) != 0
                          : result->round_count && result->rounds[0].sm_clock_hz > 0;
}

void kg_cycles_estimate(const struct kg_gathering *gathering, struct kg_metric_input *input,
                        size_t base, struct kg_metric *metric)
{
    const size_t all = base + input->current_count;
    struct kg_metric_input cycles = *input;
    struct kg_metric_state state;
    struct kg_metric of_cycles = {0};
    double *paces = input->paces_ns;
    metric->cycles_ratio = NAN;
    if (!paces || !on_device(gathering))
        return;
    input->paces_ns = NULL;
    cycles.paces_ns = NULL;
    cycles.values = kg_arena_alloc(gathering->scratch, all, sizeof *cycles.values);
    for (size_t i = 0; i < all; i++)
        cycles.values[i] = KG_PULSE_CYCLES * input->values[i] / paces[i];
    kg_metric_estimate(&cycles, &of_cycles, &state);
    metric->cycles_ratio = of_cycles.ratio;
    metric->cycles_low = of_cycles.interval_low;
    metric->cycles_high = of_cycles.interval_high;
    metric->pace_shift = log(kg_median_of(paces + base, input->current_count, input->scratch) /
                             kg_median_of(paces, base, input->scratch));
}

/* --- Values of the rounds besides their times ------------------------------------------------- */

/* Median over the reference's rounds; NaN unless all runs have the series. */
static double stored_median(const struct kg_gathering *gathering, const char *name)
{
    const struct kg_reference *reference = gathering->reference;
    size_t count = 0;
    double *values =
        kg_arena_alloc(gathering->scratch, 2 * reference->round_count + 1, sizeof *values);
    for (size_t i = 0; i < reference->case_count; i++) {
        const struct kg_baseline_series *stored = kg_gathered_beside(reference->cases[i], name);
        if (!stored || count + stored->value_count > reference->round_count)
            return NAN;
        memcpy(values + count, stored->values, stored->value_count * sizeof *values);
        count += stored->value_count;
    }
    return count ? kg_median_of(values, count, values + count) : NAN;
}

static double memory_clock_of(const struct kg_round *round)
{
    return round->memory_clock_hz;
}

static double power_of(const struct kg_round *round)
{
    return round->power_w;
}

/* Median over the candidate's rounds; NaN if a round lacks the value. */
static double current_median(const struct kg_gathering *gathering,
                             double (*of)(const struct kg_round *round))
{
    const struct kg_case_result *result = gathering->result;
    size_t count = 0;
    double *values =
        kg_arena_alloc(gathering->scratch, 2 * result->round_count + 1, sizeof *values);
    for (size_t i = 0; i < result->round_count; i++) {
        if (!kg_gathering_wants(gathering, i))
            continue;
        values[count] = of(&result->rounds[i]);
        if (isnan(values[count++]))
            return NAN;
    }
    return count ? kg_median_of(values, count, values + count) : NAN;
}

/* --- Explanations ----------------------------------------------------------------------------- */

/* Whether the clock of the multiprocessors explains a time. Memory and the bus have their own clocks. So false if the
 * workload waits for one of them, or if its bandwidth is unknown. */
static bool clock_governs(const struct kg_case_result *result, const struct kg_metric *metric)
{
    const struct kg_trace *trace = &result->trace;
    if (trace->to_device_bytes > 0 || trace->to_host_bytes > 0)
        return false;
    return result->work.bandwidth_share * metric->ratio < MEMORY_BOUND;
}

/* The part of `shift` in the direction of the time's change, at least 0. Logarithms. */
static double along(const struct kg_metric *metric, double shift)
{
    return fmax(0, metric->ratio > 1 ? shift : -shift);
}

/* Factor of the time that the clocks may explain, for a memory-bound workload whose memory clock is known; else NaN.
 * The memory clock explains all of its own change. If the multiprocessors are busy while memory is not, their clock
 * explains its change; the share of the bandwidth limits that part. */
static double clock_part(const struct kg_gathering *gathering, const struct kg_metric *metric)
{
    const double share = gathering->result->work.bandwidth_share;
    const double before = stored_median(gathering, KG_SERIES_MEMORY_CLOCK);
    const double slower = log(before / current_median(gathering, memory_clock_of));
    const double least = fmin(1, fmin(share, share * metric->ratio));
    const double core = along(metric, metric->pace_shift);
    if (!(share * metric->ratio >= MEMORY_BOUND) || !isfinite(slower))
        return NAN;
    const double explained = (core > CLOCK_MOST ? 1 : 1 - least) * core + along(metric, slower);
    return exp(metric->ratio > 1 ? explained : -explained);
}

/* Sets the power of both sides if the power limit throttled most of the candidate's rounds and its clock fell. A lower
 * power limit is no property of the code, so it sets nothing. */
static void power_find(const struct kg_gathering *gathering, struct kg_metric *metric)
{
    const double before = stored_median(gathering, KG_SERIES_POWER);
    const double power = current_median(gathering, power_of);
    if (!(metric->pace_shift > 0) || !(current_median(gathering, kg_round_power_capped) > 0) ||
        !(power > 0) || power < (1 - POWER_FELL) * before)
        return;
    metric->power_w = power;
    metric->base_power_w = before;
}

void kg_clocks_apply(const struct kg_gathering *gathering, const struct kg_metric *cycles,
                     struct kg_metric *metric, struct kg_evidence *evidence)
{
    metric->cycles_ratio = cycles->cycles_ratio;
    metric->cycles_low = cycles->cycles_low;
    metric->cycles_high = cycles->cycles_high;
    metric->pace_shift = cycles->pace_shift;
    metric->clock_part = clock_part(gathering, metric);
    power_find(gathering, metric);
    evidence->clock_governs = clock_governs(gathering->result, metric);
}
