#include "gate/plan_seconds.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics/stats.h"
#include "judge/baseline_store_check.h"
#include "model/baseline_index.h"

/* The state of the search for past times. */
struct past {
    const struct kg_prepared_suite *what;
    struct kg_shard_plan *planned;
    const char **created; /* per case: time of the run that gave its seconds; NULL: none */
    struct kg_arena scratch;
};

/* Duration of a stored case's rounds: each measures at least the suite's time or calls, and at least one sample. */
static double stored_seconds(struct past *past, const struct kg_baseline_case *stored,
                             const struct kg_settings *settings)
{
    const struct kg_baseline_series *time =
        kg_baseline_series_find(stored, kg_metric_kind_names[KG_METRIC_TIME], KG_SERIES_OF_ROUNDS);
    if (!time)
        return NAN;
    double *room = kg_arena_alloc(&past->scratch, time->value_count, sizeof *room);
    const double call_ns = kg_median_of(time->values, time->value_count, room);
    const double sample_ns = call_ns * (double)(stored->batch ? stored->batch : 1);
    const double asked_ns = settings->iterations   ? call_ns * (double)settings->iterations
                            : stored->round_ns > 0 ? stored->round_ns
                                                   : settings->min_time_ns;
    return 1e-9 * (double)time->value_count * fmax(asked_ns, sample_ns);
}

/* Takes the times of the suite's newest ordinary run in one file, if they are newer than those of the other files. */
static void baseline_take(struct past *past, const struct kg_baseline *baseline)
{
    const struct kg_plan *plan = past->what->plan;
    const char *suite = past->what->suite->name;
    struct kg_baseline newest = {.fingerprint = baseline->fingerprint};
    struct kg_baseline_index index;
    for (size_t r = 0; r < baseline->run_count; r++)
        if (!baseline->runs[r].pin && !strcmp(baseline->runs[r].suite, suite)) {
            newest.runs = &baseline->runs[r];
            newest.run_count = 1;
        }
    if (!newest.run_count)
        return;
    const char *created = kg_arena_copy(&past->scratch, newest.runs[0].created);
    kg_baseline_index_make(&past->scratch, &newest, suite, false, &index);
    for (size_t i = 0; i < plan->case_count; i++) {
        const struct kg_case *planned = &plan->cases[i];
        const struct kg_baseline_case *stored =
            kg_baseline_index_find(&index, planned->id, planned->definition_hash);
        const double seconds =
            stored ? stored_seconds(past, stored, &planned->spec->settings) : NAN;
        if (isnan(seconds) || (past->created[i] && strcmp(created, past->created[i]) < 0))
            continue;
        past->created[i] = created;
        past->planned->cases[i].seconds = seconds;
        past->planned->cases[i].known = true;
    }
}

static bool file_take(struct past *past, const char *path, struct kg_error *err)
{
    struct kg_baseline baseline;
    char schema[64];
    if (kg_schema_peek(path, schema, err) && !kg_schema_is(KG_BASELINE_SCHEMA, schema))
        return true;
    if (!kg_baseline_load(path, &baseline, err))
        return false;
    baseline_take(past, &baseline);
    kg_baseline_free(&baseline);
    return true;
}

static bool store_read(struct past *past, const char *directory, struct kg_error *err)
{
    struct dirent **entries;
    const int count = scandir(directory, &entries, kg_store_entry, alphasort);
    bool good = true;
    if (count < 0)
        return errno == ENOENT || kg_error_set(err, KG_ERROR_USAGE, "cannot read '%.300s': %s",
                                               directory, strerror(errno));
    for (int i = 0; i < count; i++) {
        good =
            good &&
            file_take(past, kg_arena_printf(&past->scratch, "%s/%s", directory, entries[i]->d_name),
                      err);
        free(entries[i]);
    }
    free(entries);
    return good;
}

/* The cases with the duration of twice the minimum rounds. A case that cannot run on this machine counts too: the fleet
 * may have other machines. */
static void cases_start(const struct kg_plan *plan, struct kg_shard_plan *planned)
{
    planned->cases = kg_arena_alloc(&planned->arena, plan->case_count, sizeof *planned->cases);
    planned->case_count = plan->case_count;
    for (size_t i = 0; i < plan->case_count; i++) {
        const struct kg_settings *settings = &plan->cases[i].spec->settings;
        planned->cases[i] = (struct kg_planned_case){
            .id = kg_arena_copy(&planned->arena, plan->cases[i].id),
            .definition_hash = kg_arena_copy(&planned->arena, plan->cases[i].definition_hash),
            .seconds = 2e-9 * (double)settings->rounds_min * settings->min_time_ns};
    }
}

/* Cases of one group are neighbours. */
static void shards_set(const struct kg_plan *plan, struct kg_shard_plan *planned,
                       struct kg_arena *scratch)
{
    size_t count = 0;
    struct kg_shard_group *groups = kg_arena_alloc(scratch, plan->case_count, sizeof *groups);
    size_t *shard_of = kg_arena_alloc(scratch, plan->case_count, sizeof *shard_of);
    for (size_t i = 0; i < plan->case_count; i++) {
        const bool joined = i && plan->cases[i].group == plan->cases[i - 1].group;
        if (!joined)
            groups[count++] = (struct kg_shard_group){.id = planned->cases[i].id};
        groups[count - 1].seconds += planned->cases[i].seconds;
        planned->seconds += planned->cases[i].seconds;
    }
    kg_shards_assign(groups, count, planned->shards, shard_of);
    for (size_t i = 0, group = 0; i < plan->case_count; i++) {
        group += i && plan->cases[i].group != plan->cases[i - 1].group;
        planned->cases[i].shard = shard_of[group];
    }
}

bool kg_fleet_plan(const struct kg_prepared_suite *what, const char *directory, size_t shards,
                   struct kg_shard_plan *planned, struct kg_error *err)
{
    struct past past = {.what = what, .planned = planned};
    past.created = kg_arena_alloc(&past.scratch, what->plan->case_count, sizeof *past.created);
    planned->suite = kg_arena_copy(&planned->arena, what->suite->name);
    planned->shards = shards;
    cases_start(what->plan, planned);
    const bool good = store_read(&past, directory, err);
    if (good)
        shards_set(what->plan, planned, &past.scratch);
    kg_arena_free(&past.scratch);
    return good;
}
