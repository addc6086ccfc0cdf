/* history_nodes.c: hosts that differ from their class in one night (suspect_node.h). Each run keeps the distance of its
 * host from the past, one number. So a night of a fleet reads no points. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "judge/history/history_detector.h"
#include "model/results.h"

enum { NIGHTS = KG_NODE_PAST + 1 };

bool kg_history_nodes_prepare(struct kg_history_database *database,
                              struct kg_detection_queries *queries, struct kg_error *err)
{
    /* CROSS JOIN: SQLite then begins with the machines, and finds the runs of each by time. */
    static const char nights[] =
        "SELECT r.id, r.machine, r.started, r.commit_, r.distance, r.excess FROM machine AS m "
        "CROSS JOIN run AS r WHERE r.machine = m.id AND m.class = $1 AND r.suite = $2 AND "
        "r.started >= $3 AND r.started <= $4 AND r.distance IS NOT NULL ORDER BY r.machine, "
        "r.started, r.hash";
    return kg_query_prepare(database, "UPDATE run SET distance = $1 WHERE id = $2",
                            &queries->distance, err) &&
           kg_query_prepare(database,
                            "SELECT started FROM run WHERE suite = $1 AND machine = $2 AND "
                            "distance IS NOT NULL AND started <= $3 ORDER BY started DESC LIMIT $4",
                            &queries->anchors, err) &&
           kg_query_prepare(database, nights, &queries->nights, err) &&
           kg_query_prepare(database, "UPDATE run SET excess = $1, deviation = $2 WHERE id = $3",
                            &queries->node, err);
}

/* Median over the times of the run. Memory and counters hardly move on a sick host. NaN, which keeps the stored one: a
 * replay lacks some of the times. */
static double distance_of(const struct kg_detection *detection)
{
    double *distances =
        kg_arena_alloc(detection->arena, detection->tracked_count + 1, sizeof *distances);
    size_t count = 0;
    for (size_t i = 0; i < detection->tracked_count; i++) {
        if (detection->run->replayed && detection->tracked[i].skipped)
            return NAN;
        if (!strcmp(detection->tracked[i].metric, "time"))
            distances[count++] = detection->tracked[i].distance;
    }
    return kg_node_distance(distances, count);
}

/* --- Nights ----------------------------------------------------------------------------------- */

struct night_run {
    int64_t id, machine, started;
    int64_t commit; /* 0: unknown */
    double distance;
    bool suspect; /* already */
};

/* Runs of a class, by machine and time. */
struct class_runs {
    struct night_run *rows;
    size_t count, capacity;
};

/* Start of the oldest night that the rule uses. */
static bool oldest_find(struct kg_detection *detection, int64_t *oldest, struct kg_error *err)
{
    struct kg_query *query = &detection->queries->anchors;
    enum kg_step step;
    kg_query_begin(query, "titi", detection->run->suite, detection->run->machine,
                   detection->run->started, (int64_t)NIGHTS);
    while ((step = kg_query_step(query, err)) == KG_STEP_ROW) {
        const char *started = kg_row_text(query, 0);
        *oldest = kg_timestamp_seconds(started ? started : "");
    }
    kg_query_reset(query);
    return step == KG_STEP_DONE;
}

static bool class_read(struct kg_detection *detection, int64_t from, int64_t to,
                       struct class_runs *runs, struct kg_error *err)
{
    char first[KG_TIMESTAMP_BYTES], last[KG_TIMESTAMP_BYTES];
    struct kg_query *query = &detection->queries->nights;
    enum kg_step step;
    kg_timestamp_format(from - KG_NIGHT_SECONDS, first);
    kg_timestamp_format(to + KG_NIGHT_SECONDS, last);
    kg_query_begin(query, "tttt", detection->run->class, detection->run->suite, first, last);
    while ((step = kg_query_step(query, err)) == KG_STEP_ROW) {
        const char *started = kg_row_text(query, 2);
        kg_arena_grow(detection->arena, &runs->rows, runs->count, &runs->capacity,
                      sizeof *runs->rows);
        runs->rows[runs->count++] =
            (struct night_run){.id = kg_row_integer(query, 0),
                               .machine = kg_row_integer(query, 1),
                               .started = kg_timestamp_seconds(started ? started : ""),
                               .commit = kg_row_integer(query, 3),
                               .distance = kg_row_real(query, 4),
                               .suspect = isfinite(kg_row_real(query, 5))};
    }
    kg_query_reset(query);
    return step == KG_STEP_DONE;
}

static int64_t apart(const struct night_run *a, const struct night_run *b)
{
    return a->started < b->started ? b->started - a->started : a->started - b->started;
}

/* The run of a machine in the night of `anchor`: of the same commit, and the nearest in time. NULL: none */
static const struct night_run *night_find(const struct night_run *runs, size_t count,
                                          const struct night_run *anchor)
{
    const struct night_run *nearest = NULL;
    for (size_t i = 0; i < count; i++) {
        const bool other = runs[i].commit && anchor->commit && runs[i].commit != anchor->commit;
        if (!other && apart(&runs[i], anchor) <= KG_NIGHT_SECONDS &&
            (!nearest || apart(&runs[i], anchor) < apart(nearest, anchor)))
            nearest = &runs[i];
    }
    return nearest;
}

/* --- Suspects --------------------------------------------------------------------------------- */

/* Distances of all machines in the nights of this one. */
struct fleet {
    double *distances;
    const struct night_run **newest; /* per machine: its run of this night */
    struct kg_node_night *nodes;
    size_t hosts, nights;
};

/* Fills the nights of the machine whose runs are given. */
static void host_fill(struct fleet *fleet, const struct night_run *runs, size_t count,
                      const struct night_run *anchors)
{
    double *nights = fleet->distances + fleet->hosts * fleet->nights;
    const struct night_run *run = NULL;
    for (size_t n = 0; n < fleet->nights; n++) {
        run = night_find(runs, count, &anchors[n]);
        nights[n] = run ? run->distance : (double)NAN;
    }
    fleet->newest[fleet->hosts++] = run;
}

/* The nights are those of the run's machine, up to the run. */
static bool fleet_fill(const struct kg_detection *detection, const struct class_runs *runs,
                       struct fleet *fleet)
{
    size_t last = 0, machines = 0;
    while (last < runs->count && runs->rows[last].id != detection->run->id)
        last++;
    if (last == runs->count)
        return false;
    fleet->nights = 1;
    while (fleet->nights < NIGHTS && fleet->nights <= last &&
           runs->rows[last - fleet->nights].machine == detection->run->machine)
        fleet->nights++;
    for (size_t i = 0; i < runs->count; i++)
        machines += !i || runs->rows[i].machine != runs->rows[i - 1].machine;
    fleet->distances =
        kg_arena_alloc(detection->arena, machines * fleet->nights, sizeof *fleet->distances);
    fleet->newest = kg_arena_alloc(detection->arena, machines, sizeof *fleet->newest);
    fleet->nodes = kg_arena_alloc(detection->arena, machines, sizeof *fleet->nodes);
    for (size_t i = 0, count; i < runs->count; i += count) {
        for (count = 1;
             i + count < runs->count && runs->rows[i + count].machine == runs->rows[i].machine;)
            count++;
        host_fill(fleet, runs->rows + i, count, runs->rows + last + 1 - fleet->nights);
    }
    return true;
}

/* A run that is suspect stays so, as an alarm does. */
static bool suspects_store(struct kg_detection *detection, struct fleet *fleet,
                           struct kg_error *err)
{
    kg_suspect_nodes_find(fleet->distances, fleet->hosts, fleet->nights, fleet->nodes);
    for (size_t h = 0; h < fleet->hosts; h++) {
        if (!fleet->nodes[h].suspect || fleet->newest[h]->suspect)
            continue;
        if (!kg_query_run(&detection->queries->node, err, "rri", fleet->nodes[h].excess,
                          fleet->nodes[h].deviation, fleet->newest[h]->id))
            return false;
        detection->nodes++;
    }
    return true;
}

bool kg_history_nodes_find(struct kg_detection *detection, struct kg_error *err)
{
    const double distance = detection->run->control ? (double)NAN : distance_of(detection);
    const int64_t moment = kg_timestamp_seconds(detection->run->started);
    int64_t oldest = moment;
    struct class_runs runs = {0};
    struct fleet fleet = {0};
    if (isnan(distance) || moment == INT64_MIN)
        return true;
    if (!kg_query_run(&detection->queries->distance, err, "ri", distance, detection->run->id) ||
        !oldest_find(detection, &oldest, err) || !class_read(detection, oldest, moment, &runs, err))
        return false;
    return !fleet_fill(detection, &runs, &fleet) || suspects_store(detection, &fleet, err);
}
