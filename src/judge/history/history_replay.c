/* history_replay.c: rebuilds the change detectors of one suite on one machine from their points, after a run was
 * removed. The value of that run would otherwise stay in their states, and its alarms in the table `change`. A series
 * whose older points are pruned keeps its state and its other changes: its points are too few to rebuild them. */
#include "judge/history/history_replay.h"

#include <math.h>

#include "base/text.h"
#include "judge/history/history_detector.h"

struct replay {
    struct kg_history_database *database;
    struct kg_arena arena;
    int64_t removed; /* id of the run */
    struct kg_added_run *runs;
    size_t count, capacity;
};

static void run_read(struct replay *replay, const struct kg_query *query)
{
    struct kg_arena *arena = &replay->arena;
    const bool control = kg_row_integer(query, 6) != 0;
    kg_arena_grow(arena, &replay->runs, replay->count, &replay->capacity, sizeof *replay->runs);
    replay->runs[replay->count++] =
        (struct kg_added_run){.id = kg_row_integer(query, 0),
                              .machine = kg_row_integer(query, 1),
                              .suite = kg_row_copy(query, 2, arena),
                              .class = kg_row_copy(query, 3, arena),
                              .started = kg_row_copy(query, 4, arena),
                              .hash = kg_row_copy(query, 5, arena),
                              .control = control,
                              .depth = control ? (double)NAN : kg_row_real(query, 7),
                              .replayed = true,
                              .control_known = kg_row_integer(query, 8) != replay->removed,
                              .night_control = kg_row_integer(query, 8)};
}

/* Reads all runs that change detection takes, the removed one included. A removed release was the older end of creeps. */
static bool runs_read(struct replay *replay, struct kg_error *err)
{
    static const char sql[] =
        "SELECT r.id, r.machine, r.suite, m.class, r.started, r.hash, CASE WHEN r.kind = 'control' "
        "THEN 1 ELSE 0 END, c.depth, r.control FROM run AS r JOIN run AS removed ON removed.suite "
        "= r.suite "
        "AND removed.machine = r.machine JOIN machine AS m ON m.id = r.machine LEFT JOIN commit_ "
        "AS c ON c.id = r.commit_ WHERE removed.id = $1 AND ((r.points > 0 AND r.kind IN "
        "('commit', 'nightly', 'control')) OR (r.id = $1 AND r.kind IN ('commit', 'nightly', "
        "'control', 'release')))";
    struct kg_query query = {0};
    enum kg_step step;
    if (!kg_query_prepare(replay->database, sql, &query, err))
        return false;
    kg_query_begin(&query, "i", replay->removed);
    while ((step = kg_query_step(&query, err)) == KG_STEP_ROW)
        run_read(replay, &query);
    kg_query_free(&query);
    return step == KG_STEP_DONE;
}

/* Whether the detectors had the run before they had the removed one: the alarms up to there stay. */
static void known_mark(struct replay *replay, size_t place)
{
    for (size_t i = 0; i < place; i++)
        replay->runs[i].known = replay->runs[i].id < replay->removed;
}

static size_t place_find(const struct replay *replay)
{
    size_t place = 0;
    while (place < replay->count && replay->runs[place].id != replay->removed)
        place++;
    return place;
}

/* Sets the changes of the other runs aside: a negative found_run. The replay finds most of them again. */
static bool changes_set_aside(const struct replay *replay, struct kg_error *err)
{
    struct kg_query query = {0};
    bool good = kg_query_prepare(replay->database,
                                 "UPDATE change SET found_run = -found_run WHERE found_run = $1 "
                                 "AND series NOT IN (SELECT series FROM level WHERE pruned = 1)",
                                 &query, err);
    for (size_t i = 0; good && i < replay->count; i++)
        if (!replay->runs[i].known)
            good = kg_query_run(&query, err, "i", replay->runs[i].id);
    kg_query_free(&query);
    return good;
}

/* Removes the states to rebuild, and the traces of the run that no replay removes. */
static bool levels_remove(const struct replay *replay, struct kg_error *err)
{
    static const char *const statements[] = {
        "DELETE FROM level WHERE pruned = 0 AND series IN (SELECT s.id FROM series AS s JOIN run "
        "AS r ON r.suite = s.suite AND r.machine = s.machine WHERE r.id = $1)",
        "DELETE FROM change WHERE found_run = $1 AND state <> 'confirmed' AND series IN (SELECT "
        "series FROM level WHERE pruned = 1)",
        "DELETE FROM run WHERE id = $1 AND kind = 'release'",
    };
    bool good = true;
    for (size_t i = 0; good && i < sizeof statements / sizeof *statements; i++) {
        struct kg_query query = {0};
        good = kg_query_prepare(replay->database, statements[i], &query, err) &&
               kg_query_run(&query, err, "i", replay->removed);
        kg_query_free(&query);
    }
    return good;
}

/* Whether the changes n and o are of one series and direction, and share an end. */
#define SAME_CHANGE                                                                                \
    "n.series = o.series AND n.kind = o.kind AND (n.ratio > 1) = (o.ratio > 1) AND (n.run_before " \
    "= o.run_before OR n.run_after = o.run_after)"

/* Gives decisions to the changes that were found again. A confirmed change is proven, so it stays in any case. */
static bool decisions_keep(const struct replay *replay, struct kg_error *err)
{
    static const char *const statements[] = {
        "UPDATE change AS n SET state = o.state, cause = o.cause, proof = o.proof, culprit = "
        "o.culprit, seconds = o.seconds FROM change AS o WHERE n.found_run > 0 AND o.found_run < 0 "
        "AND (o.state <> 'suspected' OR o.seconds IS NOT NULL) AND " SAME_CHANGE,
        "DELETE FROM change AS o WHERE o.found_run < 0 AND (o.state <> 'confirmed' OR EXISTS "
        "(SELECT 1 FROM change AS n WHERE n.found_run > 0 AND " SAME_CHANGE "))",
        "UPDATE change SET found_run = -found_run WHERE found_run < 0",
    };
    bool good = true;
    for (size_t i = 0; good && i < sizeof statements / sizeof *statements; i++)
        good = kg_database_execute(replay->database, statements[i], err);
    return good;
}

static bool detect_again(struct replay *replay, struct kg_error *err)
{
    struct kg_history_outcome outcome = {0};
    const size_t place = place_find(replay);
    known_mark(replay, place);
    if (!changes_set_aside(replay, err) || !levels_remove(replay, err))
        return false;
    replay->runs[place] = replay->runs[--replay->count];
    return kg_history_detect(replay->database, replay->runs, replay->count, &outcome, err) &&
           decisions_keep(replay, err);
}

bool kg_history_replay(struct kg_history_database *database, int64_t removed, struct kg_error *err)
{
    struct replay replay = {.database = database, .removed = removed};
    bool good = runs_read(&replay, err);
    kg_added_runs_sort(replay.runs, replay.count);
    if (good && place_find(&replay) < replay.count)
        good = detect_again(&replay, err);
    kg_arena_free(&replay.arena);
    return good;
}
