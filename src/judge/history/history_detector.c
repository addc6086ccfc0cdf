/* history_detector.c: reads the points of an added run with the detector rows of their series, and appends. One row per
 * series holds all that the detector needs, so no older point is read. */
#include "judge/history/history_detector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void kg_detection_add(struct kg_detection *detection, const struct kg_found_change *found)
{
    kg_arena_grow(detection->arena, &detection->found, detection->found_count,
                  &detection->found_capacity, sizeof *detection->found);
    detection->found[detection->found_count++] = *found;
}

/* --- Order ------------------------------------------------------------------------------------ */

/* Ancestry orders two commits of known depth. Otherwise time orders them. */
static int compare_places(double depth, const char *started, const char *hash,
                          const struct kg_added_run *run)
{
    if (isfinite(depth) && isfinite(run->depth) && depth != run->depth)
        return depth < run->depth ? -1 : 1;
    const int by_time = strcmp(started, run->started);
    return by_time ? by_time : strcmp(hash, run->hash);
}

/* Controls come first. They have no depth here: a kept build is no place on the branch. */
static int compare_times(const void *a, const void *b)
{
    const struct kg_added_run *x = a, *y = b;
    const int by_time = strcmp(x->started, y->started);
    if (x->control != y->control)
        return x->control ? -1 : 1;
    return by_time ? by_time : strcmp(x->hash, y->hash);
}

static int compare_depths(const void *a, const void *b)
{
    const struct kg_added_run *x = a, *y = b;
    return x->control != y->control ? compare_times(x, y)
                                    : compare_places(x->depth, x->started, x->hash, y);
}

void kg_added_runs_sort(struct kg_added_run *runs, size_t count)
{
    bool by_depth = true;
    for (size_t i = 0; i < count; i++)
        by_depth = by_depth && (runs[i].control || isfinite(runs[i].depth));
    if (count)
        qsort(runs, count, sizeof *runs, by_depth ? compare_depths : compare_times);
}

/* --- Rows ------------------------------------------------------------------------------------- */

struct statements {
    struct kg_query points, older;
    struct kg_kept_levels levels;
    struct kg_detection_queries shared;
};

static bool statements_prepare(struct kg_history_database *database, struct statements *statements,
                               struct kg_error *err)
{
    static const char points[] =
        "SELECT p.series, p.value, p.error, p.rounds, s.case_, s.metric, s.source FROM point AS p "
        "JOIN series AS s ON s.id = p.series WHERE p.run = $1 ORDER BY p.series";
    static const char older[] =
        "SELECT l.state, l.crept, c.depth, r.started, r.hash FROM series AS s JOIN level AS l ON "
        "l.series = s.id LEFT JOIN run AS r ON r.id = l.run LEFT JOIN commit_ AS c ON c.id = "
        "r.commit_ WHERE s.case_ = $1 AND s.suite = $2 AND s.machine = $3 AND s.metric = $4 AND "
        "s.source = $5 AND s.control = 0 ORDER BY l.run DESC, l.series DESC LIMIT 1";
    return kg_query_prepare(database, points, &statements->points, err) &&
           kg_query_prepare(database, older, &statements->older, err) &&
           kg_kept_levels_prepare(&statements->levels, database, err) &&
           kg_history_creep_prepare(database, &statements->shared, err) &&
           kg_history_control_prepare(database, &statements->shared, err) &&
           kg_history_nodes_prepare(database, &statements->shared, err);
}

static void statements_free(struct statements *statements)
{
    struct kg_detection_queries *shared = &statements->shared;
    struct kg_query *const queries[] = {
        &statements->points, &statements->older,      &shared->times,      &shared->pin,
        &shared->controls,   &shared->control_change, &shared->distance,   &shared->anchors,
        &shared->nights,     &shared->node,           &shared->control_set};
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        kg_query_free(queries[i]);
    kg_kept_levels_free(&statements->levels);
}

/* If the newest run of the series was removed, the run is newer. */
static void level_take(const struct kg_kept_level *level, const struct kg_added_run *run,
                       struct kg_tracked *tracked)
{
    tracked->row = level->row;
    tracked->crept = level->crept;
    /* A replay cannot rebuild the state of pruned points, so it stays. */
    tracked->skipped =
        (run->replayed && level->pruned) ||
        (level->started && compare_places(level->depth, level->started, level->hash, run) >= 0);
}

/* A new definition of a case begins a new series. The detector continues from the old one: its step then has the cause
 * `definition`. */
static bool older_read(struct kg_detection *detection, struct statements *statements,
                       struct kg_tracked *tracked, struct kg_error *err)
{
    struct kg_query *query = &statements->older;
    if (!kg_kept_levels_write(&statements->levels, err))
        return false;
    kg_query_begin(query, "ttitt", tracked->id_of_case, detection->run->suite,
                   detection->run->machine, tracked->metric, tracked->source);
    const enum kg_step step = kg_query_step(query, err);
    if (step == KG_STEP_ROW) {
        struct kg_kept_level level = {0};
        kg_level_read(query, detection->arena, &level);
        level_take(&level, detection->run, tracked);
    }
    kg_query_reset(query);
    return step != KG_STEP_FAILED;
}

static bool points_read(struct kg_detection *detection, struct kg_query *query,
                        struct kg_error *err)
{
    struct kg_arena *arena = detection->arena;
    enum kg_step step;
    kg_query_begin(query, "i", detection->run->id);
    while ((step = kg_query_step(query, err)) == KG_STEP_ROW) {
        kg_arena_grow(arena, &detection->tracked, detection->tracked_count,
                      &detection->tracked_capacity, sizeof *detection->tracked);
        detection->tracked[detection->tracked_count++] =
            (struct kg_tracked){.distance = NAN,
                                .series = kg_row_integer(query, 0),
                                .value = kg_row_real(query, 1),
                                .error = kg_row_real(query, 2),
                                .rounds = (size_t)kg_row_integer(query, 3),
                                .id_of_case = kg_row_copy(query, 4, arena),
                                .metric = kg_row_copy(query, 5, arena),
                                .source = kg_row_copy(query, 6, arena)};
    }
    kg_query_reset(query);
    return step == KG_STEP_DONE;
}

/* Gives each series its detector. */
static bool levels_take(struct kg_detection *detection, struct kg_kept_levels *levels,
                        struct kg_error *err)
{
    bool known = true;
    for (size_t i = 0; i < detection->tracked_count; i++)
        known = known && kg_kept_levels_find(levels, detection->tracked[i].series);
    if (!known && !kg_kept_levels_load(levels, detection->run->id, err))
        return false;
    for (size_t i = 0; i < detection->tracked_count; i++) {
        const struct kg_kept_level *level =
            kg_kept_levels_find(levels, detection->tracked[i].series);
        if (level)
            level_take(level, detection->run, &detection->tracked[i]);
    }
    return true;
}

static bool tracked_read(struct kg_detection *detection, struct statements *statements,
                         struct kg_error *err)
{
    struct kg_kept_levels *levels = &statements->levels;
    bool good =
        points_read(detection, &statements->points, err) && levels_take(detection, levels, err);
    if (detection->run->control)
        return good && kg_kept_levels_write(levels, err) &&
               kg_history_control_begin(detection, err);
    for (size_t i = 0; good && i < detection->tracked_count; i++) {
        struct kg_tracked *tracked = &detection->tracked[i];
        const struct kg_kept_level *level = kg_kept_levels_find(levels, tracked->series);
        if (!tracked->row.level.change.count && !tracked->skipped && !(level && level->asked))
            good = older_read(detection, statements, tracked, err);
    }
    return good;
}

/* --- Detection -------------------------------------------------------------------------------- */

/* Makes `runs` follow the tail of the state. */
static void run_push(struct kg_level_row *row, int64_t run, uint32_t before)
{
    if (before == KG_CHANGE_WINDOW)
        memmove(row->runs, row->runs + 1, --before * sizeof *row->runs);
    row->runs[before] = run;
}

/* Adds an alarm, whose runs are counted back from the newest of `count` runs. The state then keeps the newest ones. */
static void step_add(struct kg_detection *detection, struct kg_tracked *tracked,
                     const struct kg_change_alarm *alarm, uint32_t count)
{
    int64_t *runs = tracked->row.runs;
    const uint32_t kept = tracked->row.level.change.count;
    const uint32_t before = count - alarm->newer_most - 1, after = count - alarm->newer_least;
    const uint32_t beside = before < KG_STEP_BESIDE ? before : KG_STEP_BESIDE;
    const uint32_t beyond = count - 1 - after < KG_STEP_BESIDE ? count - 1 - after : KG_STEP_BESIDE;
    kg_detection_add(detection, &(struct kg_found_change){.kind = KG_CHANGE_STEP,
                                                          .tracked = tracked,
                                                          .before = runs[before],
                                                          .after = runs[after],
                                                          .code_before = runs[before - beside],
                                                          .code_after = runs[after + beyond],
                                                          .step = alarm->step,
                                                          .low = alarm->step_low,
                                                          .high = alarm->step_high});
    memmove(runs, runs + (count - kept), kept * sizeof *runs);
    tracked->row.levels.count = 0;
    tracked->stepped = true;
}

/* The distance from the newest runs, which the run then joins. */
static void past_push(struct kg_tracked *tracked, double location)
{
    struct kg_level_row *row = &tracked->row;
    double past[KG_NODE_PAST];
    for (size_t i = 0; i < row->past_count; i++)
        past[i] = (double)row->past[i];
    tracked->distance = kg_node_case_distance(location, past, row->past_count);
    if (row->past_count == KG_NODE_PAST)
        memmove(row->past, row->past + 1, --row->past_count * sizeof *row->past);
    row->past[row->past_count++] = (float)location;
}

static bool append(struct kg_detection *detection, struct kg_tracked *tracked, struct kg_error *err)
{
    struct kg_change_alarm alarm;
    double location = log(tracked->value);
    struct kg_change_state *change = &tracked->row.level.change;
    /* the variance that a gate takes for a round: trimmed, like the location */
    const double kept = kg_location_kept(tracked->rounds), error = tracked->error / tracked->value;
    const struct kg_variance within = {error * error * kept, isfinite(error) ? kept - 1 : 0};
    const uint32_t before = change->count;
    if (!(tracked->value > 0) || !isfinite((float)location)) {
        tracked->skipped = true;
        return true;
    }
    past_push(tracked, location);
    if (!kg_history_control_remove(detection, tracked, &location, err))
        return false;
    const bool stepped = kg_history_append(&tracked->row.level, location, within, &alarm);
    run_push(&tracked->row, detection->run->id, before);
    if (stepped)
        step_add(detection, tracked, &alarm,
                 before == KG_CHANGE_WINDOW ? KG_CHANGE_WINDOW : before + 1);
    return true;
}

static bool run_detect(struct kg_detection *detection, struct statements *statements,
                       struct kg_history_outcome *outcome, struct kg_error *err)
{
    bool late = false;
    if (!tracked_read(detection, statements, err) || !kg_history_control_find(detection, err))
        return false;
    for (size_t i = 0; i < detection->tracked_count; i++) {
        late = late || detection->tracked[i].skipped;
        if (!detection->tracked[i].skipped && !append(detection, &detection->tracked[i], err))
            return false;
    }
    if (!kg_history_creeps_find(detection, err) ||
        !kg_kept_levels_keep(&statements->levels, detection, err) ||
        !kg_history_changes_store(detection, err) || !kg_history_nodes_find(detection, err))
        return false;
    outcome->late += late;
    outcome->nodes += detection->nodes;
    outcome->changes += detection->found_count;
    return true;
}

bool kg_history_detect(struct kg_history_database *database, struct kg_added_run *runs,
                       size_t count, struct kg_history_outcome *outcome, struct kg_error *err)
{
    struct statements statements = {0};
    struct kg_arena arena = {0};
    if (!count)
        return true;
    bool good = statements_prepare(database, &statements, err);
    kg_added_runs_sort(runs, count);
    for (size_t i = 0; good && i < count; i++) {
        struct kg_detection detection = {.database = database,
                                         .queries = &statements.shared,
                                         .arena = &arena,
                                         .run = &runs[i],
                                         .added = runs,
                                         .added_count = count};
        good = run_detect(&detection, &statements, outcome, err);
        kg_arena_clear(&arena);
    }
    good = good && kg_kept_levels_write(&statements.levels, err);
    kg_arena_free(&arena);
    statements_free(&statements);
    return good;
}
