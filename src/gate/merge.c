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

/* A baseline of the store, for all shards of one kind of machine. */
struct kg_stored {
    struct kg_baseline baseline;
    const char *fingerprint;
};

/* --- Reading ---------------------------------------------------------------------------------- */

/* Returns the store's baseline for the kind of machine, and reads it once. NULL: err is filled. */
static const struct kg_baseline *stored_find(const char *store, const char *fingerprint,
                                             struct kg_merge *merge, struct kg_error *err)
{
    for (size_t i = 0; i < merge->stored_count; i++)
        if (!strcmp(merge->stored[i].fingerprint, fingerprint))
            return &merge->stored[i].baseline;
    struct kg_stored *stored = &merge->stored[merge->stored_count];
    const char *path = kg_baseline_path(&merge->arena, store, fingerprint);
    if (!kg_baseline_load(path, &stored->baseline, err) ||
        !kg_stored_prior_load(&stored->baseline.arena, path, fingerprint, &stored->baseline.prior,
                              err))
        return NULL;
    stored->fingerprint = fingerprint;
    merge->stored_count++;
    return &stored->baseline;
}

static bool baselines_read(const struct kg_merge_options *options, struct kg_merge *merge,
                           struct kg_error *err)
{
    if (!options->baselines)
        return true;
    /* The array does not grow: the shards keep pointers to its baselines. */
    merge->stored = kg_arena_alloc(&merge->arena, merge->part_count, sizeof *merge->stored);
    for (size_t p = 0; p < merge->part_count; p++) {
        if (merge->parts[p].baseline)
            continue;
        merge->parts[p].baseline = stored_find(
            options->baselines, merge->parts[p].results->machine.fingerprint, merge, err);
        if (!merge->parts[p].baseline)
            return false;
    }
    return true;
}

/* Collects the attempts that count. */
static void parts_collect(struct kg_merge *merge)
{
    merge->parts = kg_arena_alloc(&merge->arena, merge->attempts.count, sizeof *merge->parts);
    for (size_t i = 0; i < merge->attempts.count; i++) {
        const struct kg_attempt *attempt = &merge->attempts.at[i];
        if (attempt->why)
            continue;
        merge->is_pair = attempt->is_pair;
        merge->has_pairs = merge->has_pairs || attempt->has_pairs;
        merge->parts[merge->part_count++] =
            (struct kg_shard_part){.path = attempt->path,
                                   .results = &attempt->results,
                                   .baseline = attempt->has_baseline ? &attempt->baseline : NULL};
    }
}

/* Finds the attempts of each shard: the one that counts, or one that ended too early. */
static void shards_index(struct kg_merge *merge)
{
    size_t most = 0;
    for (size_t i = 0; i < merge->attempts.count; i++)
        most = merge->attempts.at[i].results.shard.index > most
                   ? merge->attempts.at[i].results.shard.index
                   : most;
    merge->shards = kg_arena_alloc(&merge->arena, most + 1, sizeof *merge->shards);
    merge->shard_most = most;
    for (size_t i = 0; i < merge->attempts.count; i++) {
        const struct kg_attempt *attempt = &merge->attempts.at[i];
        const struct kg_attempt **at = &merge->shards[attempt->results.shard.index];
        if (!*at || (*at)->why)
            *at = attempt;
    }
}

static const struct kg_attempt *attempt_of(const struct kg_merge *merge, size_t shard)
{
    return shard && shard <= merge->shard_most ? merge->shards[shard] : NULL;
}

/* Whether a shard of that number counts. */
static bool is_there(const struct kg_merge *merge, size_t shard)
{
    const struct kg_attempt *attempt = attempt_of(merge, shard);
    return attempt && !attempt->why;
}

/* Returns the attempt of a shard that ended too early; NULL: none, or another attempt counts. */
static const struct kg_attempt *half_of(const struct kg_merge *merge, size_t shard)
{
    const struct kg_attempt *attempt = attempt_of(merge, shard);
    return attempt && attempt->why ? attempt : NULL;
}

static void expected_add(struct kg_merge *merge, size_t *capacity, const char *id, size_t shard)
{
    kg_arena_grow(&merge->arena, &merge->expected, merge->expected_count, capacity,
                  sizeof *merge->expected);
    merge->expected[merge->expected_count++] = (struct kg_expected_case){id, shard};
}

/* Number of cases in the best attempts of all shards, whole or not. */
static size_t cases_seen(const struct kg_merge *merge)
{
    size_t cases = 0;
    for (size_t shard = 0; shard <= merge->shard_most; shard++)
        cases += merge->shards[shard] ? merge->shards[shard]->results.case_count : 0;
    return cases;
}

/* Without a plan: the cases of a shard that ended too early are in its journal. Of a shard without any file only the
 * number is known. If the others have all cases, such a shard had nothing to measure. */
static void expected_guess(struct kg_merge *merge)
{
    const struct kg_shard *any = &merge->parts[0].results->shard;
    const size_t count = any->count;
    const bool all_seen = cases_seen(merge) >= any->cases;
    /* without a plan, cases go to the shards in turn: further shards are empty */
    const size_t most = any->plan || any->cases > count ? count : any->cases;
    size_t capacity = 0;
    for (size_t shard = 1; shard <= most; shard++) {
        const struct kg_attempt *half = half_of(merge, shard);
        for (size_t i = 0; half && i < half->results.case_count; i++)
            expected_add(merge, &capacity, half->results.cases[i].id, shard);
        if (!attempt_of(merge, shard) && !all_seen)
            expected_add(merge, &capacity,
                         kg_arena_printf(&merge->arena, "shard %zu of %zu", shard, count), shard);
    }
}

/* Returns the plan's cases by shard, so that reports show the cases of a lost shard together. */
static struct kg_expected_case *expected_by_shard(struct kg_arena *arena,
                                                  const struct kg_shard_plan *plan)
{
    struct kg_expected_case *expected = kg_arena_alloc(arena, plan->case_count, sizeof *expected);
    size_t *next = kg_arena_alloc(arena, plan->shards + 2, sizeof *next);
    for (size_t i = 0; i < plan->case_count; i++)
        next[plan->cases[i].shard + 1]++;
    for (size_t shard = 1; shard <= plan->shards; shard++)
        next[shard] += next[shard - 1];
    for (size_t i = 0; i < plan->case_count; i++)
        expected[next[plan->cases[i].shard]++] =
            (struct kg_expected_case){plan->cases[i].id, plan->cases[i].shard};
    return expected;
}

static void expected_take(const struct kg_merge_options *options, struct kg_merge *merge)
{
    const struct kg_shard_plan *plan = options->plan;
    if (plan)
        merge->expected = expected_by_shard(&merge->arena, plan);
    merge->expected_count = plan ? plan->case_count : 0;
    /* shards that did not measure by this plan: it only names the cases */
    for (size_t i = 0; i < merge->expected_count && !merge->parts[0].results->shard.plan; i++)
        merge->expected[i].shard = 0;
    if (!plan)
        expected_guess(merge);
}

/* Whether every expected case has results. */
static bool is_whole(const struct kg_merge *merge)
{
    size_t cases = 0;
    for (size_t p = 0; p < merge->part_count; p++)
        cases += merge->parts[p].results->case_count;
    for (size_t i = 0; i < merge->expected_count; i++)
        if (merge->expected[i].shard && !is_there(merge, merge->expected[i].shard))
            return false;
    const size_t all = merge->parts[0].results->shard.cases;
    return cases >= all && cases >= merge->expected_count;
}

static bool none_whole(const struct kg_merge *merge, struct kg_error *err)
{
    return kg_error_set(err, KG_ERROR_UNDECIDED, "no shard has whole results: %s",
                        merge->attempts.note_count ? merge->attempts.notes[0] : "none was given");
}

/* Joins one side of the paired rounds. */
static void side_join(struct kg_merge *merge, bool base, bool whole, struct kg_results *joined)
{
    size_t count = 0;
    struct kg_shard_part *parts =
        kg_arena_alloc(&merge->arena, merge->attempts.count, sizeof *parts);
    for (size_t i = 0; i < merge->attempts.count; i++) {
        const struct kg_attempt *attempt = &merge->attempts.at[i];
        if (!attempt->why && (attempt->is_pair || attempt->has_pairs))
            parts[count++] = (struct kg_shard_part){
                .path = attempt->path, .results = base ? &attempt->base : &attempt->head};
    }
    kg_shards_join(parts, count, whole, joined);
}

static void results_join(struct kg_merge *merge)
{
    const bool whole = is_whole(merge);
    kg_shards_join(merge->parts, merge->part_count, whole, &merge->results);
    if (merge->is_pair || merge->has_pairs)
        side_join(merge, true, whole, &merge->base);
    if (merge->has_pairs)
        side_join(merge, false, whole, &merge->head);
    if (merge->is_pair)
        kg_baseline_from_results(&merge->base, &merge->baseline);
    else
        kg_shards_join_baselines(merge->parts, merge->part_count, &merge->baseline);
}

/* Checks that the shards measured by this plan. */
static bool plan_check(const struct kg_merge_options *options, const struct kg_merge *merge,
                       struct kg_error *err)
{
    const struct kg_shard *shard = &merge->parts[0].results->shard;
    const struct kg_shard_plan *plan = options->plan;
    if (!plan || ((!shard->plan || !strcmp(shard->plan, plan->hash)) &&
                  !strcmp(plan->suite, merge->parts[0].results->suite) &&
                  (!shard->count || shard->count == plan->shards)))
        return true;
    return kg_error_set(err, KG_ERROR_USAGE,
                        "%s measured by another plan than '%.300s': give the plan that `--shard` "
                        "used",
                        merge->parts[0].path, options->plan_path);
}

bool kg_merge_read(const struct kg_merge_options *options, struct kg_merge *merge,
                   struct kg_error *err)
{
    *merge = (struct kg_merge){0};
    if (!kg_attempts_read(options->paths, options->path_count, options->directory, &merge->attempts,
                          err))
        return false;
    kg_attempts_choose(&merge->attempts);
    parts_collect(merge);
    shards_index(merge);
    if (!merge->part_count)
        return none_whole(merge, err);
    if (!kg_shards_check(merge->parts, merge->part_count, err) ||
        !plan_check(options, merge, err) || !baselines_read(options, merge, err))
        return false;
    expected_take(options, merge);
    results_join(merge);
    return true;
}

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
    const struct kg_attempt *half = half_of(merge, shard);
    if (!shard)
        return NULL;
    if (is_there(merge, shard))
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
        if (!attempt->why || !shard->node || half_of(merge, shard->index) != attempt)
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
    jobs_note(merge);
    start_note(merge);
    if (options->note && comparison->exit_status == KG_EXIT_REGRESSION)
        kg_comparison_note(comparison, options->note);
}

/* A joined comparison without any stored run compares nothing. */
static void missing_baseline_word(const struct kg_merge_options *options, struct kg_merge *merge)
{
    if (!merge->baseline.run_count && merge->results.mixed)
        merge->baseline.missing = kg_arena_printf(
            &merge->arena, "no shard has a baseline of suite '%.200s'", merge->results.suite);
    else if (!merge->baseline.run_count)
        merge->baseline.missing = kg_arena_printf(
            &merge->arena,
            "no shard has a baseline of suite '%.200s'; `kgate baseline update %.300s%s%.300s` "
            "records these results",
            merge->results.suite, merge->results_path, options->baselines ? " -b " : "",
            options->baselines ? options->baselines : "");
}

static void decide(const struct kg_merge_options *options, const struct kg_waiving *waiving,
                   struct kg_merge *merge)
{
    struct kg_comparison *comparison = &merge->comparison;
    const struct kg_next_source source = {
        .directory = options->directory, .is_measured = true, .baselines = options->baselines};
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

void kg_merge_free(struct kg_merge *merge)
{
    kg_suggestions_free(&merge->suggestions);
    kg_comparison_free(&merge->comparison);
    kg_baseline_free(&merge->baseline); /* borrows from the results */
    kg_results_free(&merge->results);
    kg_results_free(&merge->base);
    kg_results_free(&merge->head);
    for (size_t i = 0; i < merge->stored_count; i++)
        kg_baseline_free(&merge->stored[i].baseline);
    kg_attempts_free(&merge->attempts);
    kg_arena_free(&merge->arena);
}
