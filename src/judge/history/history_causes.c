/* history_causes.c: finds the causes of alarms that need no measuring (step_cause.h), and stores the changes. Other
 * hosts count if their steps overlap in time. The later host of a fleet may explain a step that the first one found. */
#include <math.h>
#include <string.h>

#include "base/names.h"
#include "base/text.h"
#include "judge/history/history_detector.h"

/* A step of this run, or of the table `change`. */
struct step {
    int64_t id;                /* in the table; 0: of this run */
    const char *began, *ended; /* times of the runs on either side; NULL: the run is gone */
    enum kg_change_kind kind;
    struct kg_night_alarm alarm;
    const struct kg_found_change *found; /* NULL: of the table */
};

struct hosts {
    struct kg_night_host *rows;
    int64_t *machines;
    size_t count, capacity, machine_capacity;
};

struct cause_search {
    struct kg_detection *detection;
    struct hosts hosts;
    struct kg_names cases, classes; /* numbers of names */
    struct step *steps;             /* of this run first, then of the table */
    size_t step_count, step_capacity;
    struct kg_query end, make, update;
};

/* --- Facts ------------------------------------------------------------------------------------ */

static size_t number_of(struct cause_search *search, struct kg_names *names, const char *name)
{
    const size_t length = strlen(name);
    const size_t *known = kg_names_find(names, name, length);
    if (known)
        return *known;
    const size_t number = names->count;
    kg_names_set(search->detection->arena, names, kg_arena_copy(search->detection->arena, name),
                 length, number);
    return number;
}

static size_t case_number(struct cause_search *search, const char *id, const char *metric,
                          const char *source)
{
    return number_of(search, &search->cases,
                     kg_arena_printf(search->detection->arena, "%s\n%s\n%s", id, metric, source));
}

/* The run on one side of an alarm. */
struct end {
    const char *began; /* NULL: the run is gone */
    const char *epoch; /* NULL: unknown */
    bool stored;       /* the history has its points */
    bool measured;     /* it has a point of the series */
    bool code_known;
    int64_t code;
};

static bool end_read(struct cause_search *search, int64_t run, int64_t series, struct end *end,
                     struct kg_error *err)
{
    struct kg_query *query = &search->end;
    kg_query_begin(query, "ii", run, series);
    *end = (struct end){0};
    const enum kg_step step = kg_query_step(query, err);
    if (step == KG_STEP_ROW)
        *end = (struct end){.began = kg_row_copy(query, 0, search->detection->arena),
                            .stored = kg_row_integer(query, 1) > 0,
                            .epoch = kg_row_keep(query, 2, search->detection->arena),
                            .measured = kg_row_text(query, 3) != NULL,
                            .code_known = kg_row_text(query, 4) != NULL,
                            .code = kg_row_integer(query, 4)};
    kg_query_reset(query);
    return step != KG_STEP_FAILED;
}

static struct step *step_add(struct cause_search *search)
{
    kg_arena_grow(search->detection->arena, &search->steps, search->step_count,
                  &search->step_capacity, sizeof *search->steps);
    return &search->steps[search->step_count++];
}

static bool found_add(struct cause_search *search, const struct kg_found_change *found,
                      struct kg_error *err)
{
    const struct kg_tracked *tracked = found->tracked;
    struct end before, after, code_before, code_after;
    double control;
    if (!end_read(search, found->before, tracked->series, &before, err) ||
        !end_read(search, found->after, tracked->series, &after, err) ||
        !end_read(search, found->code_before, tracked->series, &code_before, err) ||
        !end_read(search, found->code_after, tracked->series, &code_after, err) ||
        !kg_history_control_step(search->detection, tracked, before.began, after.began, &control,
                                 err))
        return false;
    *step_add(search) =
        (struct step){.began = before.began,
                      .ended = after.began,
                      .kind = found->kind,
                      .found = found,
                      .alarm = {.case_number = case_number(search, tracked->id_of_case,
                                                           tracked->metric, tracked->source),
                                .step = found->step,
                                .control_step = control,
                                .definition_changed = before.stored && after.stored &&
                                                      before.measured != after.measured,
                                .code_unchanged = code_before.code_known && code_after.code_known &&
                                                  code_before.code == code_after.code,
                                .epoch_changed = before.epoch && after.epoch &&
                                                 strcmp(before.epoch, after.epoch) != 0}};
    return true;
}

/* --- Other hosts ------------------------------------------------------------------------------ */

static void host_add(struct cause_search *search, int64_t machine, const char *class, size_t series)
{
    struct hosts *hosts = &search->hosts;
    struct kg_arena *arena = search->detection->arena;
    kg_arena_grow(arena, &hosts->rows, hosts->count, &hosts->capacity, sizeof *hosts->rows);
    kg_arena_grow(arena, &hosts->machines, hosts->count, &hosts->machine_capacity,
                  sizeof *hosts->machines);
    hosts->machines[hosts->count] = machine;
    hosts->rows[hosts->count++] = (struct kg_night_host){
        .class = number_of(search, &search->classes, class), .series = series};
}

/* Whether the detector has the run. Later runs of this transaction have none of their alarms yet. */
static bool is_appended(const struct kg_detection *detection, int64_t run)
{
    for (const struct kg_added_run *later = detection->run + 1;
         later < detection->added + detection->added_count; later++)
        if (later->id == run)
            return false;
    return true;
}

/* Another host counts as unchanged only if it was measured as late as this run: its alarm may come as late. */
static bool hosts_read(struct cause_search *search, struct kg_error *err)
{
    static const char sql[] =
        "SELECT m.id, m.class, r.id, r.points FROM machine AS m LEFT JOIN run AS r ON r.id = "
        "(SELECT id FROM run WHERE suite = $1 AND machine = m.id AND started >= $2 AND points > 0 "
        "AND kind IN ('commit', 'nightly') ORDER BY started DESC, hash DESC LIMIT 1) WHERE m.id <> "
        "$3 ORDER BY m.id";
    const struct kg_added_run *run = search->detection->run;
    struct kg_query query = {0};
    enum kg_step step;
    host_add(search, run->machine, run->class, search->detection->tracked_count);
    if (!kg_query_prepare(search->detection->database, sql, &query, err))
        return false;
    kg_query_begin(&query, "tti", run->suite, run->started, run->machine);
    while ((step = kg_query_step(&query, err)) == KG_STEP_ROW)
        host_add(search, kg_row_integer(&query, 0),
                 kg_row_copy(&query, 1, search->detection->arena),
                 is_appended(search->detection, kg_row_integer(&query, 2))
                     ? (size_t)kg_row_integer(&query, 3)
                     : 0);
    kg_query_free(&query);
    return step == KG_STEP_DONE;
}

static size_t host_find(const struct hosts *hosts, int64_t machine)
{
    size_t host = 0;
    while (host + 1 < hosts->count && hosts->machines[host] != machine)
        host++;
    return host;
}

/* The stored cause tells which facts the alarm had. */
static void stored_add(struct cause_search *search, const struct kg_query *query)
{
    struct kg_arena *arena = search->detection->arena;
    const char *cause = kg_row_copy(query, 6, arena);
    const bool control = !strcmp(cause, kg_step_cause_name(KG_STEP_CONTROL));
    struct step *step = step_add(search);
    *step = (struct step){
        .id = kg_row_integer(query, 0),
        .began = kg_row_copy(query, 7, arena),
        .ended = kg_row_copy(query, 8, arena),
        .alarm = {.host = host_find(&search->hosts, kg_row_integer(query, 1)),
                  .case_number =
                      case_number(search, kg_row_copy(query, 2, arena),
                                  kg_row_copy(query, 3, arena), kg_row_copy(query, 4, arena)),
                  .step = log(kg_row_real(query, 5)),
                  .control_step = control ? log(kg_row_real(query, 5)) : 0,
                  .definition_changed = !strcmp(cause, kg_step_cause_name(KG_STEP_DEFINITION)),
                  .code_unchanged = !strcmp(cause, kg_step_cause_name(KG_STEP_MACHINE)),
                  .epoch_changed = !strcmp(cause, kg_step_cause_name(KG_STEP_ENVIRONMENT))}};
}

static bool stored_read(struct cause_search *search, struct kg_error *err)
{
    static const char sql[] =
        "SELECT h.id, s.machine, s.case_, s.metric, s.source, h.ratio, h.cause, b.started, "
        "a.started FROM change AS h JOIN series AS s ON s.id = h.series JOIN run AS b ON b.id = "
        "h.run_before JOIN run AS a ON a.id = h.run_after WHERE s.suite = $1 AND s.control = 0 "
        "AND h.kind = 'step' AND h.ratio > 0 AND h.found_run > 0 AND a.started > $2 ORDER BY h.id";
    struct kg_query query = {0};
    enum kg_step step;
    const char *oldest = search->detection->run->started;
    for (size_t i = 0; i < search->step_count; i++)
        if (search->steps[i].began && strcmp(search->steps[i].began, oldest) < 0)
            oldest = search->steps[i].began;
    if (!kg_query_prepare(search->detection->database, sql, &query, err))
        return false;
    kg_query_begin(&query, "tt", search->detection->run->suite, oldest);
    while ((step = kg_query_step(&query, err)) == KG_STEP_ROW)
        stored_add(search, &query);
    kg_query_free(&query);
    return step == KG_STEP_DONE;
}

/* --- Causes ----------------------------------------------------------------------------------- */

static bool overlap(const struct step *a, const struct step *b)
{
    return a->kind == b->kind && a->began && a->ended && b->began && b->ended &&
           strcmp(a->began, b->ended) < 0 && strcmp(b->began, a->ended) < 0;
}

static bool same_range(const struct step *a, const struct step *b)
{
    return a->kind == b->kind && a->found->before == b->found->before &&
           a->found->after == b->found->after;
}

/* One alarm per host and case: the first, so that alarms of this run come before those of the table. */
static bool is_first(struct cause_search *search, struct kg_names *seen, const struct step *step)
{
    char key[64];
    const int length =
        snprintf(key, sizeof key, "%zu %zu", step->alarm.host, step->alarm.case_number);
    if (kg_names_find(seen, key, (size_t)length))
        return false;
    kg_names_set(search->detection->arena, seen, kg_arena_copy(search->detection->arena, key),
                 (size_t)length, 1);
    return true;
}

/* Finds the causes of the alarms with the range of `first`, and of unknown steps of the table in that range. */
static void night_judge(struct cause_search *search, const struct step *first)
{
    struct kg_arena *arena = search->detection->arena;
    struct kg_night_alarm *alarms = kg_arena_alloc(arena, search->step_count, sizeof *alarms);
    size_t *places = kg_arena_alloc(arena, search->step_count, sizeof *places), count = 0;
    struct kg_names seen = {0};
    for (size_t i = 0; i < search->step_count; i++)
        if ((&search->steps[i] == first || overlap(&search->steps[i], first)) &&
            is_first(search, &seen, &search->steps[i])) {
            alarms[count] = search->steps[i].alarm;
            places[count++] = i;
        }
    kg_step_causes_find(alarms, count, search->hosts.rows, search->hosts.count);
    for (size_t i = 0; i < count; i++) {
        struct step *step = &search->steps[places[i]];
        if (!step->found || same_range(step, first))
            step->alarm.cause = alarms[i].cause;
    }
}

static void causes_find(struct cause_search *search, size_t found_count)
{
    for (size_t i = 0; i < found_count; i++) {
        size_t first = 0;
        while (!same_range(&search->steps[first], &search->steps[i]))
            first++;
        if (first == i)
            night_judge(search, &search->steps[i]);
    }
}

/* --- Rows ------------------------------------------------------------------------------------- */

static bool step_store(struct cause_search *search, const struct step *step, struct kg_error *err)
{
    const char *cause = kg_step_cause_name(step->alarm.cause);
    const struct kg_found_change *found = step->found;
    if (!found)
        return step->alarm.cause == KG_STEP_UNKNOWN ||
               kg_query_run(&search->update, err, "ti", cause, step->id);
    return kg_query_run(&search->make, err, "itiiirrrt", found->tracked->series,
                        kg_change_kind_names[found->kind], found->before, found->after,
                        search->detection->run->id, exp(found->step), exp(found->low),
                        exp(found->high), cause);
}

static bool queries_prepare(struct cause_search *search, struct kg_error *err)
{
    struct kg_history_database *database = search->detection->database;
    return kg_query_prepare(database,
                            "SELECT r.started, r.points, e.hash, p.run, p.code FROM run AS r JOIN "
                            "epoch AS e ON e.id = r.epoch LEFT JOIN point AS p ON p.run = r.id AND "
                            "p.series = $2 WHERE r.id = $1",
                            &search->end, err) &&
           kg_query_prepare(database,
                            "INSERT INTO change (series, kind, run_before, run_after, found_run, "
                            "ratio, low, high, cause, state, proof, culprit) VALUES ($1, $2, $3, "
                            "$4, $5, $6, $7, $8, $9, 'suspected', '', '')",
                            &search->make, err) &&
           kg_query_prepare(database,
                            "UPDATE change SET cause = $1 WHERE id = $2 AND cause = 'unknown' AND "
                            "state = 'suspected'",
                            &search->update, err);
}

/* A control moves only if its machine does. */
static bool control_store(struct cause_search *search, struct kg_error *err)
{
    const struct kg_detection *detection = search->detection;
    bool good = true;
    for (size_t i = 0; good && i < detection->found_count; i++) {
        const struct step step = {.found = &detection->found[i], .alarm.cause = KG_STEP_CONTROL};
        good = step_store(search, &step, err);
    }
    return good;
}

static bool changes_store(struct cause_search *search, struct kg_error *err)
{
    const struct kg_detection *detection = search->detection;
    bool good = queries_prepare(search, err);
    if (good && detection->run->control)
        return control_store(search, err);
    good = good && hosts_read(search, err);
    for (size_t i = 0; good && i < detection->found_count; i++)
        good = found_add(search, &detection->found[i], err);
    good = good && stored_read(search, err);
    if (good)
        causes_find(search, detection->found_count);
    for (size_t i = 0; good && i < search->step_count; i++)
        good = step_store(search, &search->steps[i], err);
    return good;
}

bool kg_history_changes_store(struct kg_detection *detection, struct kg_error *err)
{
    struct cause_search search = {.detection = detection};
    if (!detection->found_count || detection->run->known)
        return true;
    const bool good = changes_store(&search, err);
    kg_query_free(&search.end);
    kg_query_free(&search.make);
    kg_query_free(&search.update);
    return good;
}
