/* Reads the shards of a fleet, chooses the attempt of each that counts, and joins their results. */
#include <string.h>

#include "gate/merge.h"

/* A baseline of the store, for all shards of one kind of machine. */
struct kg_stored {
    struct kg_baseline baseline;
    const char *fingerprint;
};

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

bool kg_merge_has(const struct kg_merge *merge, size_t shard)
{
    const struct kg_attempt *attempt = attempt_of(merge, shard);
    return attempt && !attempt->why;
}

const struct kg_attempt *kg_merge_half(const struct kg_merge *merge, size_t shard)
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
        const struct kg_attempt *half = kg_merge_half(merge, shard);
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
        if (merge->expected[i].shard && !kg_merge_has(merge, merge->expected[i].shard))
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
