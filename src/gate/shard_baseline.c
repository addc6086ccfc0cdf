#include "gate/shard_baseline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ids of cases, sorted. */
struct ids {
    const char **at;
    size_t count;
};

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static struct ids ids_sort(struct kg_arena *arena, const struct kg_case *cases, size_t count)
{
    struct ids ids = {kg_arena_alloc(arena, count, sizeof *ids.at), count};
    for (size_t i = 0; i < count; i++)
        ids.at[i] = cases[i].id;
    if (count)
        qsort(ids.at, count, sizeof *ids.at, by_text);
    return ids;
}

static bool has(const struct ids *ids, const char *id)
{
    return ids->count && bsearch(&id, ids->at, ids->count, sizeof *ids->at, by_text);
}

/* Keeps some cases of a run.
 * own     cases to keep
 * others  not NULL: keeps also the cases that are not among these */
static void run_restrict(struct kg_arena *arena, const struct kg_baseline_run *from,
                         const struct ids *own, const struct ids *others,
                         struct kg_baseline_run *into)
{
    *into = *from;
    into->cases = kg_arena_alloc(arena, from->case_count, sizeof *into->cases);
    into->case_count = 0;
    for (size_t i = 0; i < from->case_count; i++)
        if (has(own, from->cases[i].id) || (others && !has(others, from->cases[i].id)))
            into->cases[into->case_count++] = from->cases[i];
}

/* Writes the noise of the shard's cases beside its baseline, as a store has it. */
static bool prior_write(struct kg_arena *arena, const struct kg_stored_prior *prior,
                        const struct ids *own, const char *baseline_path, struct kg_error *err)
{
    const char *path = kg_stored_prior_path(arena, baseline_path);
    /* A prior of an earlier gate in this folder would decide a merge. */
    if (!prior)
        return remove(path) == 0 || errno == ENOENT ||
               kg_error_set(err, KG_ERROR_SYSTEM, "cannot remove '%.300s': %s", path,
                            strerror(errno));
    struct kg_stored_prior part = *prior;
    part.series = kg_arena_alloc(arena, prior->series_count, sizeof *part.series);
    part.series_count = 0;
    for (size_t i = 0; i < prior->series_count; i++)
        if (has(own, prior->series[i].id_of_case))
            part.series[part.series_count++] = prior->series[i];
    return kg_record_save(&kg_stored_prior_record, &part, KG_PRIOR_SCHEMA, path, err);
}

bool kg_shard_baseline_write(const struct kg_prepared_suite *what,
                             const struct kg_baseline *baseline, const char *directory,
                             struct kg_error *err)
{
    const struct kg_plan *plan = what->plan;
    struct kg_baseline part = *baseline;
    struct kg_arena arena = {0};
    if (!what->shard)
        return true;
    const struct ids own = ids_sort(&arena, plan->cases, plan->case_count),
                     others = ids_sort(&arena, plan->elsewhere, plan->elsewhere_count);
    const bool is_filtered = plan->left_out > plan->elsewhere_count;
    const bool keeps_removed = what->shard->index == 1 && !is_filtered;
    part.runs = kg_arena_alloc(&arena, baseline->run_count, sizeof *part.runs);
    part.run_count = 0;
    for (size_t i = 0; i < baseline->run_count; i++)
        if (!strcmp(baseline->runs[i].suite, what->suite->name))
            run_restrict(&arena, &baseline->runs[i], &own, keeps_removed ? &others : NULL,
                         &part.runs[part.run_count++]);
    if (!baseline->fingerprint) {
        part.fingerprint = what->machine->fingerprint;
        part.machine = *what->machine;
    }
    const char *path = kg_arena_printf(&arena, "%s/baseline.json", directory);
    const bool good = kg_record_save(&kg_baseline_record, &part, KG_BASELINE_SCHEMA, path, err) &&
                      prior_write(&arena, baseline->prior, &own, path, err);
    kg_arena_free(&arena);
    return good;
}
