/* shards_join.c: joins results and baselines of shards into one run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "judge/shards.h"

/* --- Results ---------------------------------------------------------------------------------- */

/* Place of a case in the joined results. Shards deal a suite's cases in turn, so cases at the same position of all
 * shards follow each other. */
struct placed {
    size_t line; /* of the suite, 0: unknown */
    size_t position;
    size_t part;
};

static int compare_placed(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    if (x->position != y->position)
        return x->position < y->position ? -1 : 1;
    return (x->part > y->part) - (x->part < y->part);
}

static void cases_join(const struct kg_shard_part *parts, size_t count, struct kg_results *joined)
{
    size_t total = 0;
    for (size_t p = 0; p < count; p++)
        total += parts[p].results->case_count;
    struct placed *places = kg_arena_alloc(&joined->arena, total, sizeof *places);
    joined->cases = kg_arena_alloc(&joined->arena, total, sizeof *joined->cases);
    for (size_t p = 0; p < count; p++)
        for (size_t i = 0; i < parts[p].results->case_count; i++)
            places[joined->case_count++] = (struct placed){parts[p].results->cases[i].line, i, p};
    qsort(places, total, sizeof *places, compare_placed);
    for (size_t i = 0; i < total; i++)
        joined->cases[i] = parts[places[i].part].results->cases[places[i].position];
}

/* Takes readings of all parts, evenly if there are too many. */
static void probes_join(const struct kg_shard_part *parts, size_t count, struct kg_results *joined)
{
    size_t total = 0, taken = 0;
    for (size_t p = 0; p < count; p++)
        total += parts[p].results->probe_count;
    const size_t most = total < KG_PROBES_MOST ? total : KG_PROBES_MOST;
    joined->probes = kg_arena_alloc(&joined->arena, most, sizeof *joined->probes);
    for (size_t p = 0, seen = 0; p < count; p++)
        for (size_t i = 0; i < parts[p].results->probe_count; i++, seen++)
            if (taken < most && seen * most / total == taken)
                joined->probes[taken++] = parts[p].results->probes[i];
    joined->probe_count = taken;
}

static bool file_known(const struct kg_results *joined, const struct kg_measured_file *file)
{
    for (size_t i = 0; i < joined->file_count; i++)
        if (!strcmp(joined->files[i].hash, file->hash))
            return true;
    return false;
}

static void files_join(const struct kg_shard_part *parts, size_t count, struct kg_results *joined)
{
    size_t capacity = 0;
    for (size_t p = 0; p < count; p++)
        for (size_t i = 0; i < parts[p].results->file_count; i++) {
            const struct kg_measured_file *file = &parts[p].results->files[i];
            if (file_known(joined, file))
                continue;
            kg_arena_grow(&joined->arena, &joined->files, joined->file_count, &capacity,
                          sizeof *joined->files);
            joined->files[joined->file_count++] = *file;
        }
}

/* Returns the --filter of all shards without their --shard; NULL: none. */
static const char *filter_of(struct kg_arena *arena, const struct kg_results *results, bool whole)
{
    if (!whole)
        return "missing shards";
    const char *shard = results->filter ? strstr(results->filter, "--shard ") : NULL;
    if (!shard || !results->shard.count)
        return results->filter;
    size_t length = (size_t)(shard - results->filter);
    while (length && results->filter[length - 1] == ' ')
        length--;
    return length ? kg_arena_copy_bytes(arena, results->filter, length) : NULL;
}

/* Whether the parts are of several kinds of machine. */
static bool is_mixed(const struct kg_shard_part *parts, size_t count)
{
    for (size_t p = 1; p < count; p++)
        if (strcmp(parts[p].results->machine.fingerprint, parts[0].results->machine.fingerprint) !=
            0)
            return true;
    return false;
}

void kg_shards_join(const struct kg_shard_part *parts, size_t count, bool whole,
                    struct kg_results *joined)
{
    *joined = *parts[0].results;
    joined->arena = (struct kg_arena){0};
    joined->shard = (struct kg_shard){0};
    joined->files = NULL;
    joined->file_count = joined->case_count = 0;
    joined->complete = true;
    joined->start_note = joined->not_kept = joined->profile = joined->no_profile = NULL;
    joined->measured_ns = joined->elapsed_ns = 0;
    if (whole)
        joined->tests = 0;
    for (size_t p = 0; p < count; p++) {
        const struct kg_results *results = parts[p].results;
        if (strcmp(results->created, joined->created) > 0)
            joined->created = results->created;
        joined->complete = joined->complete && results->complete;
        joined->sequential = joined->sequential || results->sequential;
        joined->measured_ns += results->measured_ns;
        joined->elapsed_ns = fmax(joined->elapsed_ns, results->elapsed_ns);
    }
    joined->mixed = is_mixed(parts, count);
    joined->filter = filter_of(&joined->arena, parts[0].results, whole);
    cases_join(parts, count, joined);
    probes_join(parts, count, joined);
    files_join(parts, count, joined);
}

/* --- Baselines -------------------------------------------------------------------------------- */

/* The joined runs while they grow. */
struct runs {
    struct kg_arena *arena;
    struct kg_baseline_run *at; /* newest first; pinned runs have a place of their own */
    size_t count, capacity;
    size_t *room; /* capacity of each run's cases */
    size_t room_capacity;
    struct kg_arena scratch;
    struct kg_names owners; /* part of each case */
    struct kg_names strays; /* cases of no part, with their run */
};

/* Returns the place of the run among the joined runs: by its pin, or by its age among the ordinary runs. */
static size_t place_of(struct runs *runs, const struct kg_baseline_run *run, size_t age)
{
    size_t ordinary = 0;
    for (size_t i = 0; i < runs->count; i++) {
        const struct kg_baseline_run *other = &runs->at[i];
        if (run->pin ? other->pin && !strcmp(run->pin, other->pin) : !other->pin && ordinary == age)
            return i;
        ordinary += !other->pin;
    }
    kg_arena_grow(runs->arena, &runs->at, runs->count, &runs->capacity, sizeof *runs->at);
    kg_arena_grow(runs->arena, &runs->room, runs->count, &runs->room_capacity, sizeof *runs->room);
    runs->at[runs->count] = *run;
    runs->at[runs->count].cases = NULL;
    runs->at[runs->count].case_count = 0;
    runs->room[runs->count] = 0;
    return runs->count++;
}

static bool same_traits(const struct kg_baseline_run *a, const struct kg_baseline_run *b)
{
    if (a->trait_name_count != b->trait_name_count)
        return false;
    for (size_t i = 0; i < a->trait_name_count; i++)
        if (strcmp(a->trait_names[i], b->trait_names[i]) != 0)
            return false;
    return true;
}

static void case_add(struct runs *runs, size_t place, const struct kg_baseline_run *source,
                     const struct kg_baseline_case *stored)
{
    struct kg_baseline_run *run = &runs->at[place];
    kg_arena_grow(runs->arena, &run->cases, run->case_count, &runs->room[place], sizeof *stored);
    run->cases[run->case_count] = *stored;
    /* another kgate stored other features: their numbers have other meanings */
    if (!same_traits(run, source))
        run->cases[run->case_count].trait_count = 0;
    run->case_count++;
}

/* Whether no part has the case, and no earlier baseline has it in this run. Such a case is REMOVED, once. */
static bool is_stray(struct runs *runs, size_t place, const char *id)
{
    const char *key = kg_arena_printf(&runs->scratch, "%zu %s", place, id);
    if (kg_names_find(&runs->strays, key, strlen(key)))
        return false;
    kg_names_set(&runs->scratch, &runs->strays, key, strlen(key), place);
    return true;
}

/* Adds the part's own cases, and cases of no part. */
static void part_add(struct runs *runs, const struct kg_shard_part *part, size_t index)
{
    size_t age = 0;
    for (size_t r = part->baseline->run_count; r-- > 0;) {
        const struct kg_baseline_run *run = &part->baseline->runs[r];
        if (strcmp(run->suite, part->results->suite) != 0)
            continue;
        const size_t place = place_of(runs, run, age);
        age += !run->pin;
        for (size_t i = 0; i < run->case_count; i++) {
            const char *id = run->cases[i].id;
            const size_t *owner = kg_names_find(&runs->owners, id, strlen(id));
            if (owner ? *owner == index : is_stray(runs, place, id))
                case_add(runs, place, run, &run->cases[i]);
        }
    }
}

static void owners_collect(struct runs *runs, const struct kg_shard_part *parts, size_t count)
{
    for (size_t p = 0; p < count; p++)
        for (size_t i = 0; i < parts[p].results->case_count; i++) {
            const char *id = parts[p].results->cases[i].id;
            kg_names_set(&runs->scratch, &runs->owners, id, strlen(id), p);
        }
}

/* Joins the noise of each part's own cases; NULL: no part has any. */
static const struct kg_stored_prior *priors_join(const struct runs *runs,
                                                 const struct kg_shard_part *parts, size_t count)
{
    struct kg_stored_prior *joined = NULL;
    size_t capacity = 0;
    for (size_t p = 0; p < count; p++) {
        const struct kg_stored_prior *prior = parts[p].baseline ? parts[p].baseline->prior : NULL;
        if (prior && !joined) {
            joined = kg_arena_alloc(runs->arena, 1, sizeof *joined);
            *joined = *prior;
            joined->series = NULL;
            joined->series_count = 0;
        }
        for (size_t i = 0; prior && i < prior->series_count; i++) {
            const char *id = prior->series[i].id_of_case;
            const size_t *owner = kg_names_find(&runs->owners, id, strlen(id));
            if (!owner || *owner != p)
                continue;
            kg_arena_grow(runs->arena, &joined->series, joined->series_count, &capacity,
                          sizeof *joined->series);
            joined->series[joined->series_count++] = prior->series[i];
        }
    }
    if (joined)
        kg_stored_prior_sort(joined);
    return joined;
}

void kg_shards_join_baselines(const struct kg_shard_part *parts, size_t count,
                              struct kg_baseline *joined)
{
    *joined = (struct kg_baseline){.machine = parts[0].results->machine,
                                   .fingerprint = parts[0].results->machine.fingerprint,
                                   .expected = true};
    struct runs runs = {.arena = &joined->arena};
    owners_collect(&runs, parts, count);
    for (size_t p = 0; p < count; p++)
        if (parts[p].baseline)
            part_add(&runs, &parts[p], p);
    joined->runs = kg_arena_alloc(&joined->arena, runs.count, sizeof *joined->runs);
    for (size_t i = 0; i < runs.count; i++) /* oldest first */
        joined->runs[i] = runs.at[runs.count - 1 - i];
    joined->run_count = runs.count;
    joined->prior = priors_join(&runs, parts, count);
    kg_arena_free(&runs.scratch);
}

/* --- Cases of the comparison ------------------------------------------------------------------ */

static struct kg_names ids_of(struct kg_arena *scratch, const struct kg_comparison *comparison)
{
    struct kg_names ids = {0};
    for (size_t c = 0; c < comparison->case_count; c++) {
        const char *id = comparison->cases[c].id;
        kg_names_set(scratch, &ids, id, strlen(id), c);
    }
    return ids;
}

const char *kg_shards_node(const struct kg_results *results)
{
    return results->shard.node     ? results->shard.node
           : results->machine.host ? results->machine.host
                                   : results->machine.fingerprint;
}

void kg_shards_name(const struct kg_shard_part *parts, size_t count,
                    struct kg_comparison *comparison)
{
    struct kg_arena scratch = {0};
    const struct kg_names ids = ids_of(&scratch, comparison);
    for (size_t p = 0; p < count; p++) {
        const struct kg_shard *shard = &parts[p].results->shard;
        const char *node = kg_arena_copy(&comparison->arena, kg_shards_node(parts[p].results));
        for (size_t i = 0; i < parts[p].results->case_count; i++) {
            const char *id = parts[p].results->cases[i].id;
            const size_t *place = kg_names_find(&ids, id, strlen(id));
            if (!place)
                continue;
            comparison->cases[*place].shard = shard->index;
            comparison->cases[*place].node = node;
        }
    }
    kg_arena_free(&scratch);
}

static void missing_make(struct kg_arena *arena, const struct kg_expected_case *expected,
                         const char *reason, struct kg_case_change *change)
{
    const char *id = expected->id, *slash = strchr(id, '/'), *last = strrchr(id, '/');
    *change = (struct kg_case_change){
        .id = kg_arena_copy(arena, id),
        .workload = kg_arena_copy_bytes(arena, id, slash ? (size_t)(slash - id) : strlen(id)),
        .device = kg_arena_copy(arena, last ? last + 1 : ""),
        .change = KG_CHANGE_MISSING,
        .reason = reason ? reason : "no shard has its results",
        .shard = expected->shard,
        .instability = NAN,
        .time_ns = NAN,
        .baseline_time_ns = NAN};
}

void kg_shards_missing_append(const struct kg_expected_case *expected, size_t count,
                              const char *(*reason)(void *user, size_t shard), void *user,
                              struct kg_comparison *comparison)
{
    struct kg_arena scratch = {0};
    const struct kg_names ids = ids_of(&scratch, comparison);
    const size_t order = comparison->case_count;
    size_t capacity = comparison->case_count;
    for (size_t i = 0; i < count; i++) {
        if (kg_names_find(&ids, expected[i].id, strlen(expected[i].id)))
            continue;
        kg_arena_grow(&comparison->arena, &comparison->cases, comparison->case_count, &capacity,
                      sizeof *comparison->cases);
        struct kg_case_change *change = &comparison->cases[comparison->case_count++];
        missing_make(&comparison->arena, &expected[i], reason(user, expected[i].shard), change);
        change->order = order + i;
    }
    kg_arena_free(&scratch);
}
