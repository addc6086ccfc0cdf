/* Judges the joined results of a fleet, and writes them with their reports. */
#include "gate/merge.h"

#include <math.h>
#include <string.h>

#include "base/advice.h"
#include "judge/comparison_notes.h"
#include "judge/next_commands.h"
#include "judge/overall.h"
#include "judge/pair_merge.h"
#include "judge/ranking.h"
#include "judge/verdict.h"
#include "model/change.h"
#include "show/formats.h"
#include "why/suggest.h"

/* --- Judging ---------------------------------------------------------------------------------- */

/* Whether the shard is only known by its number. */
static bool is_unknown(const struct kg_merge *merge, size_t shard)
{
    for (size_t i = 0; i < merge->expected_count; i++)
        if (merge->expected[i].shard == shard)
            return !strchr(merge->expected[i].id, '/');
    return false;
}

static const char *missing_reason(void *user, size_t shard)
{
    struct kg_merge *merge = user;
    struct kg_arena *arena = &merge->comparison.arena;
    const size_t count = merge->parts[0].results->shard.count;
    const struct kg_attempt *half = kg_merge_half(merge, shard);
    if (!shard)
        return NULL;
    if (kg_merge_has(merge, shard))
        return kg_arena_printf(arena, "shard %zu of %zu did not measure it", shard, count);
    return half ? kg_arena_printf(arena, "shard %zu of %zu ended before its verdict%s%s", shard,
                                  count, half->results.shard.node ? " on node " : "",
                                  half->results.shard.node ? half->results.shard.node : "")
                : kg_arena_printf(arena, "shard %zu of %zu has no results%s", shard, count,
                                  !is_unknown(merge, shard) ? ""
                                  : merge->parts[0].results->shard.plan
                                      ? ", so its cases are unknown: --plan names them"
                                      : ", so its cases are unknown");
}

/* Decides the cases that the stored runs leave open by the paired rounds of their shards. */
static void pairs_settle(struct kg_merge *merge)
{
    struct kg_comparison *comparison = &merge->comparison;
    struct kg_comparison pairs;
    struct kg_baseline base;
    merge->base.tests = merge->head.tests = kg_comparison_tests(comparison);
    kg_baseline_from_results(&merge->base, &base);
    kg_compare(&base, &merge->head, KG_STAGE_SCREEN, &pairs);
    kg_comparison_settle(comparison, &merge->baseline, &merge->results, &pairs,
                         "the baseline's build");
    kg_comparison_free(&pairs);
    kg_baseline_free(&base);
}

static struct kg_node *node_find(struct kg_comparison *comparison, const char *name)
{
    for (size_t n = 0; n < comparison->node_count; n++)
        if (!strcmp(comparison->nodes[n].name, name))
            return &comparison->nodes[n];
    return NULL;
}

/* Returns the node of an attempt that ended too early. Adds it if none of its shards count. */
static struct kg_node *node_of_half(struct kg_comparison *comparison, const struct kg_attempt *half,
                                    size_t *capacity)
{
    struct kg_node *found = node_find(comparison, half->results.shard.node);
    if (found)
        return found;
    kg_arena_grow(&comparison->arena, &comparison->nodes, comparison->node_count, capacity,
                  sizeof *comparison->nodes);
    struct kg_node *node = &comparison->nodes[comparison->node_count++];
    *node = (struct kg_node){
        .name = kg_arena_copy(&comparison->arena, half->results.shard.node),
        .host = kg_arena_keep(&comparison->arena, half->results.machine.host),
        .fingerprint = kg_arena_keep(&comparison->arena, half->results.machine.fingerprint),
        .epoch = kg_arena_keep(&comparison->arena, half->results.machine.epoch),
        .clock_shift = NAN,
        .bandwidth_shift = NAN};
    return node;
}

static size_t missing_of(const struct kg_comparison *comparison, size_t shard)
{
    size_t count = 0;
    for (size_t c = 0; c < comparison->case_count; c++)
        count +=
            comparison->cases[c].change == KG_CHANGE_MISSING && comparison->cases[c].shard == shard;
    return count;
}

/* Returns how many cases of the suite the comparison lacks, because only the number of their shard is known. */
static size_t unnamed_of(const struct kg_merge *merge)
{
    const struct kg_comparison *comparison = &merge->comparison;
    const size_t all = merge->parts[0].results->shard.cases;
    size_t known = 0;
    bool has_shard = false;
    for (size_t c = 0; c < comparison->case_count; c++) {
        has_shard = has_shard || kg_change_is_shard(&comparison->cases[c]);
        known += comparison->cases[c].change != KG_CHANGE_REMOVED;
    }
    return has_shard && all > known ? all - known : 0;
}

/* Counts missing cases at the nodes that lost them. */
static void losses_add(struct kg_merge *merge)
{
    struct kg_comparison *comparison = &merge->comparison;
    size_t capacity = 0; /* full: the first new node copies the array */
    for (size_t i = 0; i < merge->attempts.count; i++) {
        const struct kg_attempt *attempt = &merge->attempts.at[i];
        const struct kg_shard *shard = &attempt->results.shard;
        if (!attempt->why || !shard->node || kg_merge_half(merge, shard->index) != attempt)
            continue;
        const size_t missing = missing_of(comparison, shard->index);
        if (!missing)
            continue;
        struct kg_node *node = node_of_half(comparison, attempt, &capacity);
        node->missing += missing;
        node->reason = kg_arena_printf(&comparison->arena, "%s%sshard %zu ended before its verdict",
                                       node->reason ? node->reason : "", node->reason ? "; " : "",
                                       shard->index);
    }
}

/* Without the plan's hash in the shards kgate does not know their cases. */
static void plan_note(const struct kg_merge_options *options, struct kg_merge *merge)
{
    struct kg_comparison *comparison = &merge->comparison;
    const struct kg_shard *shard = &merge->parts[0].results->shard;
    if (options->plan && shard->count && !shard->plan && comparison->counts.of[KG_CHANGE_MISSING])
        kg_comparison_note(comparison,
                           "the shards did not measure by --plan. So the plan names the missing "
                           "cases, but not their shards. A merge without --plan names the shards");
}

/* Notes shards of two jobs: one of them may be a leftover of an earlier fleet. */
static void jobs_note(struct kg_merge *merge)
{
    const char *first = NULL;
    for (size_t p = 0; p < merge->part_count; p++) {
        const char *job = merge->parts[p].results->shard.job;
        if (!first || !job || !strcmp(first, job)) {
            first = first ? first : job;
            continue;
        }
        kg_comparison_note(&merge->comparison,
                           kg_arena_printf(&merge->comparison.arena,
                                           "the shards are of several jobs: %.60s and %.60s", first,
                                           job));
        return;
    }
}

/* Notes the load at the start of shards: once, with their number. */
static void start_note(struct kg_merge *merge)
{
    const struct kg_shard_part *first = NULL;
    size_t count = 0;
    for (size_t p = 0; p < merge->part_count; p++) {
        if (!merge->parts[p].results->start_note || !*merge->parts[p].results->start_note)
            continue;
        first = first ? first : &merge->parts[p];
        count++;
    }
    if (count)
        kg_comparison_note(
            &merge->comparison,
            kg_arena_printf(&merge->comparison.arena,
                            "%zu of %zu shards began on a busy machine; %.300s: %.300s", count,
                            merge->part_count, first->path, first->results->start_note));
}

static void notes_add(const struct kg_merge_options *options, struct kg_merge *merge)
{
    struct kg_comparison *comparison = &merge->comparison;
    struct kg_arena *arena = &comparison->arena;
    for (size_t n = 0; n < comparison->node_count; n++)
        if (comparison->nodes[n].suspect)
            kg_comparison_note(
                comparison,
                kg_arena_printf(arena,
                                "node %s is suspect: %s. Check the machine, and measure its "
                                "shards again on another one",
                                comparison->nodes[n].name, comparison->nodes[n].reason));
    for (size_t i = 0; i < merge->attempts.note_count; i++)
        kg_comparison_note(comparison, merge->attempts.notes[i]);
    if (merge->results.mixed)
        kg_comparison_note(comparison, "the shards ran on several kinds of machine: no store takes "
                                       "these results");
    plan_note(options, merge);
    jobs_note(merge);
    start_note(merge);
    if (options->note && comparison->exit_status == KG_EXIT_REGRESSION)
        kg_comparison_note(comparison, options->note);
}

/* The folder of baselines that a later command must name; NULL: the default. If the merge names none, the shards know that
 * of their gates. */
static const char *store_named(const struct kg_merge_options *options, const struct kg_merge *merge)
{
    return options->baselines_named ? options->baselines_named
                                    : merge->parts[0].results->shard.baselines;
}

/* A joined comparison without any stored run compares nothing. */
static void missing_baseline_word(const struct kg_merge_options *options, struct kg_merge *merge)
{
    const char *store = store_named(options, merge);
    if (!merge->baseline.run_count && merge->results.mixed)
        merge->baseline.missing = kg_arena_printf(
            &merge->arena, "no shard has a baseline of suite '%.200s'", merge->results.suite);
    else if (!merge->baseline.run_count)
        merge->baseline.missing = kg_arena_printf(
            &merge->arena,
            "no shard has a baseline of suite '%.200s'; `kgate baseline update %.300s%s%.300s` "
            "records these results",
            merge->results.suite, merge->results_path, store ? " -b " : "", store ? store : "");
}

static void decide(const struct kg_merge_options *options, const struct kg_waiving *waiving,
                   struct kg_merge *merge)
{
    struct kg_comparison *comparison = &merge->comparison;
    const struct kg_next_source source = {.directory = options->directory,
                                          .is_measured = true,
                                          .baselines = store_named(options, merge),
                                          .options = merge->parts[0].results->shard.options};
    missing_baseline_word(options, merge);
    kg_compare(&merge->baseline, &merge->results,
               merge->results.sequential ? KG_STAGE_SCREEN : KG_STAGE_FINAL, comparison);
    if (merge->has_pairs)
        pairs_settle(merge);
    kg_shards_name(merge->parts, merge->part_count, comparison);
    kg_shards_missing_append(merge->expected, merge->expected_count, missing_reason, merge,
                             comparison);
    comparison->unnamed = unnamed_of(merge);
    kg_nodes_judge(merge->parts, merge->part_count, comparison);
    losses_add(merge);
    kg_cases_rank(comparison);
    kg_overall_make(comparison);
    kg_verdict_again(&merge->baseline, &merge->results, comparison);
    if (waiving)
        kg_comparison_waive(comparison, &merge->baseline, &merge->results, waiving);
    notes_add(options, merge);
    kg_next_commands_make(comparison, &merge->results, &source);
}

/* --- Writing ---------------------------------------------------------------------------------- */

static bool results_write(const struct kg_merge_options *options, struct kg_merge *merge,
                          struct kg_error *err)
{
    const char *base = kg_arena_printf(&merge->arena, "%s/base.json", options->directory);
    const char *head = kg_arena_printf(&merge->arena, "%s/head.json", options->directory);
    return kg_results_write(&merge->results, merge->results_path, err) &&
           (!(merge->is_pair || merge->has_pairs) || kg_results_write(&merge->base, base, err)) &&
           (!merge->has_pairs || kg_results_write(&merge->head, head, err));
}

/* Runs after the verdict, so a failure here only adds a note. */
static void advise(const struct kg_merge_options *options, struct kg_merge *merge,
                   struct kg_advice *advice)
{
    const bool pairs = merge->has_pairs;
    const struct kg_suggest_input input = {.source = merge->results_path,
                                           .results = &merge->results,
                                           .baseline = &merge->baseline,
                                           .pair_base = pairs ? &merge->base : NULL,
                                           .pair_head = pairs ? &merge->head : NULL,
                                           .comparison = &merge->comparison};
    kg_suggest(&input, &merge->suggestions);
    const struct kg_report_subject subject = {
        .comparison = &merge->comparison,
        .suggestions = kg_suggestions_made(&merge->suggestions),
        .results = &merge->results,
        .baseline = merge->is_pair || !merge->baseline.run_count ? NULL : &merge->baseline,
        .pair_base = merge->is_pair || pairs ? &merge->base : NULL,
        .pair_head = pairs ? &merge->head : NULL};
    kg_report_files_write(&subject, options->directory, advice);
}

bool kg_merge_judge(const struct kg_merge_options *options, const struct kg_waiving *waiving,
                    struct kg_merge *merge, struct kg_error *err)
{
    struct kg_advice advice = kg_comparison_advice(&merge->comparison);
    merge->results_path = kg_arena_printf(&merge->arena, "%s/%s.json", options->directory,
                                          merge->is_pair ? "head" : "results");
    decide(options, waiving, merge);
    if (!results_write(options, merge, err) ||
        !kg_report_comparison_write(&merge->comparison, options->directory, err))
        return false;
    kg_comparison_stands(&merge->comparison);
    advise(options, merge, &advice);
    return true;
}
