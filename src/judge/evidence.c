#include "judge/evidence.h"

#include <math.h>
#include <string.h>

#include "base/statistics/stats.h"
#include "judge/code_words.h"
#include "judge/gathering.h"
#include "judge/wait_bounds.h"

static size_t current_most(const struct kg_gathering *gathering)
{
    return kg_series_count(gathering->result, gathering->series);
}

/* Allocates the arrays for the largest possible number of values. */
static void input_start(const struct kg_gathering *gathering, struct kg_metric_input *input)
{
    const struct kg_reference *reference = gathering->reference;
    size_t most = current_most(gathering);
    for (size_t i = 0; i < reference->case_count; i++) {
        const struct kg_baseline_series *stored =
            kg_gathered_series(gathering, reference->cases[i]);
        most += stored ? stored->value_count : 0;
    }
    double *room =
        kg_arena_alloc(gathering->scratch, 6 * most + 2 * reference->case_count, sizeof *room);
    input->run_counts =
        kg_arena_alloc(gathering->scratch, reference->case_count, sizeof *input->run_counts);
    input->values = room;
    input->paces_ns = room + most;
    input->log_ratios = room + 2 * most;
    input->scratch = room + 3 * most;
}

/* Appends the runs of the reference and returns their number of values. If a round lacks its clock probe, sets paces_ns
 * to NULL. */
static size_t runs_append(const struct kg_gathering *gathering, struct kg_metric_input *input)
{
    const struct kg_reference *reference = gathering->reference;
    size_t total = 0;
    for (size_t i = 0; i < reference->case_count; i++) {
        const struct kg_baseline_series *stored =
            kg_gathered_series(gathering, reference->cases[i]);
        const struct kg_baseline_series *paces =
            kg_gathered_beside(reference->cases[i], KG_SERIES_PULSE);
        if (!stored)
            continue;
        const size_t count = stored->value_count;
        memcpy(input->values + total, stored->values, count * sizeof *input->values);
        if (!gathering->row->timed || !paces || paces->value_count != count)
            input->paces_ns = NULL;
        if (input->paces_ns)
            memcpy(input->paces_ns + total, paces->values, count * sizeof *input->paces_ns);
        input->run_counts[input->run_count++] = count;
        total += count;
    }
    return total;
}

static void current_append(const struct kg_gathering *gathering, size_t base,
                           struct kg_metric_input *input)
{
    const struct kg_case_result *result = gathering->result;
    const bool time = gathering->row->timed;
    if (!time || !gathering->reference->paired)
        input->log_ratios = NULL;
    for (size_t i = 0; i < current_most(gathering); i++) {
        if (!kg_gathering_wants(gathering, i))
            continue;
        input->values[base + input->current_count] =
            gathering->means ? result->rounds[i].mean_ns : gathering->values[i];
        if (time && !(result->rounds[i].pulse_ns > 0))
            input->paces_ns = NULL;
        if (input->paces_ns)
            input->paces_ns[base + input->current_count] = result->rounds[i].pulse_ns;
        if (time && !(result->rounds[i].base_ratio > 0))
            input->log_ratios = NULL;
        if (input->log_ratios)
            input->log_ratios[input->current_count] = log(result->rounds[i].base_ratio);
        input->current_count++;
    }
    /* both sides of a pair ran at the same clock */
    if (input->log_ratios)
        input->paces_ns = NULL;
}

/* A round without a value has NaN. */
static bool all_known(const struct kg_metric_input *input, size_t base)
{
    for (size_t i = 0; i < input->current_count; i++)
        if (isnan(input->values[base + i]))
            return false;
    return true;
}

/* If all confirming rounds were disturbed, a time uses the other rounds, which can only make it a suspect. Memory and
 * counts do not depend on waits, so disturbed rounds confirm them. */
static void confirming_find(struct kg_gathering *gathering)
{
    const struct kg_case_result *result = gathering->result;
    bool taken = false;
    for (size_t i = 0; i < result->round_count && !gathering->any_confirms; i++) {
        if (!result->rounds[i].confirms)
            continue;
        taken = true;
        gathering->any_confirms = gathering->all_judged || kg_round_judged(result, i);
    }
    if (!taken || gathering->any_confirms)
        return;
    gathering->unbacked = gathering->row->proof == KG_PROOF_TEST;
    gathering->any_confirms = gathering->all_judged = !gathering->unbacked;
}

static void metric_start(const struct kg_gathering *gathering, struct kg_metric *metric)
{
    *metric = (struct kg_metric){.name = gathering->series->name,
                                 .unit = kg_series_unit(gathering->series),
                                 KG_METRIC_NOT_ESTIMATED,
                                 .better = gathering->series->better};
}

/* Whether the two sides average different numbers of calls per sample. If times are skewed, the medians of such samples
 * differ. The means of their rounds do not. */
static bool batches_differ(const struct kg_case_result *result,
                           const struct kg_reference *reference)
{
    for (size_t i = 0; i < reference->case_count && result->round_count; i++) {
        const uint64_t before = reference->cases[i]->batch;
        if (before && result->rounds[0].batch && before != result->rounds[0].batch)
            return true;
    }
    return false;
}

/* Whether the reference has the mean of each of its rounds. */
static bool means_known(const struct kg_reference *reference)
{
    size_t known = 0;
    for (size_t i = 0; i < reference->case_count; i++) {
        const struct kg_baseline_series *means =
            kg_gathered_beside(reference->cases[i], KG_SERIES_MEAN);
        known += means ? means->value_count : 0;
    }
    return known && known == reference->round_count;
}

/* Share of a time that a change of the memory bandwidth may explain. If the workload moves bytes as fast as the probe,
 * or does not state its bytes, it is the whole change. A slower workload gets its proportion. kgate cannot correct the
 * time, because the direction is too uncertain. Workloads smaller than the probe's buffer live in the caches: NaN. */
static double memory_doubt(const struct kg_case_result *result,
                           const struct kg_reference *reference, double bandwidth)
{
    static const double STREAMING_BYTES = 32.0 * 1024 * 1024;
    const double before = reference->bandwidth_bytes_per_s;
    if (reference->paired || !(before > 0) || !(bandwidth > 0) ||
        (double)result->memory.allocated_bytes < STREAMING_BYTES)
        return NAN;
    const double rate = result->work.bytes_per_second;
    const double share = rate > 0 ? fmin(1, rate / fmin(before, bandwidth)) : 1;
    return share * (fmax(before / bandwidth, bandwidth / before) - 1);
}

/* Share by which waits for a CPU may have made the judged rounds longer. kgate drops rounds that waited too long, but a
 * judged round may still have waited a tenth of its time. */
static double wait_doubt(const struct kg_gathering *gathering)
{
    /* limit of the waited share; the threshold then rises a thousandfold */
    static const double WAITED_MOST = 0.999;
    const struct kg_case_result *result = gathering->result;
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < result->round_count; i++) {
        if (!kg_gathering_wants(gathering, i))
            continue;
        sum += result->rounds[i].disturbance;
        count++;
    }
    /* NaN: a round's share is unknown, or no round is judged. For a round that only waited, no threshold is high
     * enough. */
    const double share = fmin(sum / (double)count, WAITED_MOST);
    return isnan(sum) || !count ? NAN : share / (1 - share);
}

/* Sets whether the deciding rounds differ from the reference's rounds by more than their waits explain. */
static void beyond_waits_find(const struct kg_gathering *gathering, struct kg_evidence *evidence)
{
    const struct kg_case_result *result = gathering->result;
    const struct kg_reference *reference = gathering->reference;
    const double factor = reference->paired && !reference->unchanged ? 1 : KG_SHARED_MOST;
    struct kg_wait_bounds base, now = {.count = 0};
    now.least_ns = kg_arena_alloc(gathering->scratch, result->round_count + 1, sizeof(double));
    now.most_ns = kg_arena_alloc(gathering->scratch, result->round_count + 1, sizeof(double));
    kg_wait_bounds_stored(gathering->scratch, reference, &base);
    for (size_t i = 0; i < result->round_count; i++) {
        if (!kg_gathering_wants(gathering, i))
            continue;
        now.least_ns[now.count] = kg_round_least_ns(&result->rounds[i]);
        now.most_ns[now.count++] = kg_round_most_ns(&result->rounds[i]);
    }
    evidence->beyond_waits = kg_waits_exceeded(&base, &now, gathering->series->threshold, factor);
}

/* Whether more than a third of the rounds waited for a CPU beyond the limit, unjudged rounds included. False for pairs,
 * whose sides wait at the same moments. */
static bool is_disturbed(const struct kg_gathering *gathering, double limit)
{
    const struct kg_case_result *result = gathering->result;
    size_t count = 0, disturbed = 0;
    for (size_t i = 0; i < result->round_count && !gathering->reference->paired; i++) {
        if (gathering->any_confirms && !result->rounds[i].confirms)
            continue;
        count++;
        disturbed += result->rounds[i].disturbance > limit;
    }
    return 3 * disturbed > count;
}

/* Lower bound for the time of a call, in ns. If the case uses one core, its CPU time is also a lower bound, because CPU
 * time contains no wait. */
static double least_of(const struct kg_round *round, bool one_core)
{
    const double least_ns = kg_round_least_ns(round);
    return one_core && round->cpu_ns > 0 ? fmax(least_ns, fmin(round->cpu_ns, round->mean_ns))
                                         : least_ns;
}

/* Sets evidence->widening. Other programs may slow rounds through caches and memory. So a round enters with its time
 * divided by KG_SHARED_MOST if it is not judged, or if the machine was disturbed. */
static void widening_find(const struct kg_gathering *gathering, const struct kg_metric_input *input,
                          size_t base, struct kg_evidence *evidence)
{
    const struct kg_case_result *result = gathering->result;
    const size_t count = input->current_count, most = base + result->round_count + count;
    const bool one_core = count < result->round_count && kg_gathering_one_core(gathering);
    double *now = kg_arena_alloc(gathering->scratch, count + result->round_count, sizeof *now);
    double *room = kg_arena_alloc(gathering->scratch, most, sizeof *room);
    struct kg_widening_rounds rounds = {.base = input->values,
                                        .base_count = base,
                                        .current = now,
                                        .current_count = count,
                                        .others = now + count};
    for (size_t i = 0; i < count; i++)
        now[i] = input->values[base + i] / (evidence->disturbed ? KG_SHARED_MOST : 1);
    for (size_t i = 0; i < result->round_count; i++) {
        const struct kg_round *round = &result->rounds[i];
        const double least_ns = least_of(round, one_core) / KG_SHARED_MOST;
        if (!kg_round_judged(result, i) && !round->throttled && least_ns > 0)
            now[count + rounds.other_count++] = least_ns;
    }
    evidence->widening = kg_widening_find(&rounds, input->threshold, room);
}

/* Sets the match of the machine code; for a time also its words. */
static void code_compare(struct kg_arena *scratch, const struct kg_case_result *result,
                         const struct kg_reference *reference, struct kg_evidence *evidence)
{
    evidence->code = kg_code_match(&result->code, &reference->code);
    evidence->unchanged = reference->unchanged;
    if (evidence->row->timed && evidence->code != KG_CODE_UNKNOWN)
        evidence->metric->code = kg_code_words(scratch, &result->code, &reference->code);
}

void kg_evidence_make(struct kg_evidence_room *room, const struct kg_case_result *result,
                      const struct kg_reference *reference, const struct kg_series *series,
                      enum kg_evidence_rounds rounds, double bandwidth, struct kg_metric *metric,
                      struct kg_evidence *evidence)
{
    const struct kg_metric_row *row = kg_series_row(series);
    const struct kg_disturbance disturbance = kg_disturbance_of(result);
    struct kg_gathering gathering = {
        .scratch = &room->scratch,
        .result = result,
        .reference = reference,
        .series = series,
        .row = row,
        .values = kg_series_values(&room->scratch, result, series),
        .apart = !kg_series_by_round(series),
        .rounds = rounds,
        /* if the machine was too busy, no round is better than the others */
        .all_judged = kg_disturbance_too_busy(&disturbance)};
    gathering.means = row->timed && !reference->paired && batches_differ(result, reference) &&
                      means_known(reference);
    struct kg_metric_input input = {.proof = row->proof,
                                    .threshold = series->threshold,
                                    .min_effect = kg_series_min_effect(series),
                                    .points = &room->points};
    confirming_find(&gathering);
    *evidence = (struct kg_evidence){.row = row,
                                     .means = KG_SHIFT_UNKNOWN,
                                     .least_means = KG_SHIFT_UNKNOWN,
                                     .cpu = KG_SHIFT_UNKNOWN};
    input_start(&gathering, &input);
    const size_t base = runs_append(&gathering, &input);
    current_append(&gathering, base, &input);
    if (!base || !input.current_count || !all_known(&input, base))
        return;
    metric_start(&gathering, metric);
    evidence->disturbed = row->timed && is_disturbed(&gathering, disturbance.limit);
    /* must precede kg_metric_estimate, which reorders the values */
    if (row->timed && !gathering.all_judged)
        widening_find(&gathering, &input, base, evidence);
    struct kg_metric cycles = {0};
    kg_cycles_estimate(&gathering, &input, base, &cycles);
    kg_metric_estimate(&input, metric, &evidence->state);
    if (cycles.cycles_ratio > 0)
        kg_clocks_apply(&gathering, &cycles, metric, evidence);
    if (row->timed) {
        metric->memory_doubt = memory_doubt(result, reference, bandwidth);
        /* if all rounds were disturbed, only a difference beyond all waits counts */
        const double waits = gathering.all_judged ? NAN : wait_doubt(&gathering);
        /* both sides of a pair wait alike */
        metric->wait_doubt = reference->paired ? NAN : waits;
        evidence->pair_waits = reference->paired ? waits : NAN;
        evidence->busy = gathering.all_judged;
    }
    if (evidence->busy)
        beyond_waits_find(&gathering, evidence);
    if (row->timed)
        kg_shifts_find(&gathering, metric, evidence);
    evidence->paired = input.log_ratios != NULL;
    evidence->metric = metric;
    evidence->result = result;
    evidence->base_rounds = base;
    evidence->current_rounds = input.current_count;
    evidence->confirmed = gathering.any_confirms || gathering.apart;
    evidence->unbacked = gathering.unbacked && !gathering.apart;
    evidence->processes = result->rounds_are_processes;
    code_compare(&room->scratch, result, reference, evidence);
}
