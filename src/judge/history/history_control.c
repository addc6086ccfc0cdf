/* history_control.c: the control of a machine is one kept build, measured every night. Only the machine moves it, so
 * kgate removes its moves from the series of the machine (control_series.h). A run and its control are of the same
 * suite and night. A control that is added after the run comes too late for this run. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/statistics/stats.h"
#include "judge/history/history_detector.h"
#include "model/results.h"

/* Control runs on either side of a range, and seconds within which they count. */
enum { SIDE_RUNS = 3, SIDE_SECONDS = 7 * 86400 };

bool kg_history_control_prepare(struct kg_history_database *database,
                                struct kg_detection_queries *queries, struct kg_error *err)
{
    /* A release of another kept build has another code. */
    static const char change[] =
        "SELECT s.metric, s.source, s.case_, a.value, b.value FROM point AS b JOIN point AS a ON "
        "a.run = $1 "
        "AND a.series = b.series JOIN series AS s ON s.id = b.series WHERE b.run = $2 AND (a.code "
        "= b.code OR (a.code IS NULL AND b.code IS NULL)) AND a.value > 0 AND b.value > 0";
    return kg_query_prepare(database,
                            "SELECT id, started FROM run WHERE suite = $1 AND machine = $2 AND "
                            "kind = 'control' AND points > 0 AND started >= $3 AND started <= $4 "
                            "ORDER BY started, hash",
                            &queries->controls, err) &&
           kg_query_prepare(database, change, &queries->control_change, err) &&
           kg_query_prepare(database, "UPDATE run SET control = $1 WHERE id = $2",
                            &queries->control_set, err);
}

/* --- Control runs ----------------------------------------------------------------------------- */

struct control_run {
    int64_t id, started;
};

/* Reads the control runs of the machine from one time to another, oldest first. */
static bool runs_read(struct kg_detection *detection, int64_t from, int64_t to,
                      struct control_run **runs, size_t *count, struct kg_error *err)
{
    char first[KG_TIMESTAMP_BYTES], last[KG_TIMESTAMP_BYTES];
    struct kg_query *query = &detection->queries->controls;
    size_t capacity = 0;
    enum kg_step step;
    *count = 0;
    *runs = NULL;
    kg_timestamp_format(from, first);
    kg_timestamp_format(to, last);
    kg_query_begin(query, "titt", detection->run->suite, detection->run->machine, first, last);
    while ((step = kg_query_step(query, err)) == KG_STEP_ROW) {
        const char *started = kg_row_text(query, 1);
        kg_arena_grow(detection->arena, runs, *count, &capacity, sizeof **runs);
        (*runs)[(*count)++] = (struct control_run){kg_row_integer(query, 0),
                                                   kg_timestamp_seconds(started ? started : "")};
    }
    kg_query_reset(query);
    return step == KG_STEP_DONE;
}

static bool control_search(struct kg_detection *detection, struct kg_error *err)
{
    const int64_t moment = kg_timestamp_seconds(detection->run->started);
    int64_t nearest = INT64_MAX;
    struct control_run *runs;
    size_t count;
    if (detection->run->control || moment == INT64_MIN)
        return true;
    if (!runs_read(detection, moment - KG_NIGHT_SECONDS, moment + KG_NIGHT_SECONDS, &runs, &count,
                   err))
        return false;
    for (size_t i = 0; i < count; i++) {
        const int64_t apart =
            runs[i].started < moment ? moment - runs[i].started : runs[i].started - moment;
        if (apart < nearest) {
            nearest = apart;
            detection->control = runs[i].id;
        }
    }
    return !detection->control || kg_query_run(&detection->queries->control_set, err, "ii",
                                               detection->control, detection->run->id);
}

bool kg_history_control_find(struct kg_detection *detection, struct kg_error *err)
{
    if (!detection->run->control_known)
        return control_search(detection, err);
    detection->control = detection->run->night_control;
    return true;
}

/* --- Moves of the control --------------------------------------------------------------------- */

/* Logarithms of one metric. */
struct metric_changes {
    const char *metric, *source;
    double *values;
    size_t count, capacity;
};

/* id_of_case  "": the median over the cases of the metric */
static const char *change_key(struct kg_detection *detection, int64_t from, int64_t to,
                              const char *metric, const char *source, const char *id_of_case)
{
    return kg_arena_printf(detection->arena, "%lld %lld\n%s\n%s\n%s", (long long)from,
                           (long long)to, metric, source, id_of_case);
}

static void change_add(struct kg_detection *detection, const char *key, double change)
{
    kg_names_set(detection->arena, &detection->control_names, key, strlen(key),
                 detection->control_change_count);
    kg_arena_grow(detection->arena, &detection->control_changes, detection->control_change_count,
                  &detection->control_change_capacity, sizeof *detection->control_changes);
    detection->control_changes[detection->control_change_count++] = change;
}

static const double *change_known(const struct kg_detection *detection, const char *key)
{
    const size_t *number = kg_names_find(&detection->control_names, key, strlen(key));
    return number ? &detection->control_changes[*number] : NULL;
}

static struct metric_changes *metric_find(struct kg_arena *arena, const char *metric,
                                          const char *source, struct metric_changes **metrics,
                                          size_t *count, size_t *capacity)
{
    for (size_t i = 0; i < *count; i++)
        if (!strcmp((*metrics)[i].metric, metric) && !strcmp((*metrics)[i].source, source))
            return &(*metrics)[i];
    kg_arena_grow(arena, metrics, *count, capacity, sizeof **metrics);
    (*metrics)[*count] = (struct metric_changes){.metric = kg_arena_copy(arena, metric),
                                                 .source = kg_arena_copy(arena, source)};
    return &(*metrics)[(*count)++];
}

/* Reads the changes of all cases of a kept build, and their medians. A marker without names stands for the pair. */
static bool changes_read(struct kg_detection *detection, int64_t from, int64_t to,
                         struct kg_error *err)
{
    struct kg_query *query = &detection->queries->control_change;
    struct kg_arena *arena = detection->arena;
    struct metric_changes *metrics = NULL;
    size_t count = 0, capacity = 0;
    enum kg_step step;
    kg_query_begin(query, "ii", from, to);
    while ((step = kg_query_step(query, err)) == KG_STEP_ROW) {
        const char *metric = kg_row_copy(query, 0, arena), *source = kg_row_copy(query, 1, arena);
        const double change = log(kg_row_real(query, 4) / kg_row_real(query, 3));
        struct metric_changes *of = metric_find(arena, metric, source, &metrics, &count, &capacity);
        kg_arena_grow(arena, &of->values, of->count, &of->capacity, sizeof *of->values);
        of->values[of->count++] = change;
        change_add(detection,
                   change_key(detection, from, to, metric, source, kg_row_copy(query, 2, arena)),
                   change);
    }
    kg_query_reset(query);
    change_add(detection, change_key(detection, from, to, "", "", ""), NAN);
    for (size_t i = 0; i < count; i++) {
        kg_sort(metrics[i].values, metrics[i].count);
        change_add(detection,
                   change_key(detection, from, to, metrics[i].metric, metrics[i].source, ""),
                   kg_median_sorted(metrics[i].values, metrics[i].count));
    }
    return step == KG_STEP_DONE;
}

/* Change of the control from one of its runs to another: of the same case, or else the median over its cases. NaN: not
 * known, or another kept build */
static bool change_find(struct kg_detection *detection, int64_t from, int64_t to,
                        const struct kg_tracked *tracked, double *change, struct kg_error *err)
{
    const char *const cases[] = {tracked->id_of_case, ""};
    const double *known = NULL;
    *change = NAN;
    if (!change_known(detection, change_key(detection, from, to, "", "", "")) &&
        !changes_read(detection, from, to, err))
        return false;
    for (size_t i = 0; i < 2 && !known; i++)
        known = change_known(
            detection, change_key(detection, from, to, tracked->metric, tracked->source, cases[i]));
    if (known)
        *change = *known;
    return true;
}

bool kg_history_control_remove(struct kg_detection *detection, struct kg_tracked *tracked,
                               double *location, struct kg_error *err)
{
    struct kg_level_row *row = &tracked->row;
    double change = NAN;
    if (!detection->control || detection->control == row->control_run) {
        *location = kg_control_remove(&row->control, *location, NAN);
        return true;
    }
    if (row->control_run &&
        !change_find(detection, row->control_run, detection->control, tracked, &change, err))
        return false;
    /* A new kept build begins at the last level: it has not moved. */
    *location = kg_control_remove(&row->control, *location,
                                  row->control.last_control + (isnan(change) ? 0 : change));
    row->control_run = detection->control;
    return true;
}

/* --- Steps ------------------------------------------------------------------------------------ */

/* Median over the pairs of control runs on either side of the range: one bad night is no step. */
bool kg_history_control_step(struct kg_detection *detection, const struct kg_tracked *tracked,
                             const char *began, const char *ended, double *step,
                             struct kg_error *err)
{
    const int64_t first = kg_timestamp_seconds(began ? began : "");
    const int64_t last = kg_timestamp_seconds(ended ? ended : "");
    struct control_run *runs;
    double changes[SIDE_RUNS];
    size_t count, older = 0, known = 0;
    *step = 0;
    if (first == INT64_MIN || last == INT64_MIN || last <= first)
        return true;
    if (!runs_read(detection, first - SIDE_SECONDS, last + SIDE_SECONDS, &runs, &count, err))
        return false;
    const int64_t half = (last - first) / 2,
                  margin = half < KG_NIGHT_SECONDS ? half : KG_NIGHT_SECONDS;
    while (older < count && runs[older].started <= first + margin)
        older++;
    size_t newer = older;
    while (newer < count && runs[newer].started < last - margin)
        newer++;
    for (size_t i = 0; i < SIDE_RUNS && i < older && newer + i < count; i++) {
        double change;
        if (!change_find(detection, runs[older - 1 - i].id, runs[newer + i].id, tracked, &change,
                         err))
            return false;
        if (!isnan(change))
            changes[known++] = change;
    }
    kg_sort(changes, known);
    *step = known ? kg_median_sorted(changes, known) : 0;
    return true;
}

bool kg_history_control_begin(struct kg_detection *detection, struct kg_error *err)
{
    static const char sql[] =
        "SELECT p.series FROM point AS p JOIN level AS l ON l.series = p.series JOIN point AS q ON "
        "q.run = l.run AND q.series = p.series WHERE p.run = $1 AND p.code <> q.code ORDER BY "
        "p.series";
    struct kg_query query = {0};
    enum kg_step step;
    size_t i = 0;
    if (!kg_query_prepare(detection->database, sql, &query, err))
        return false;
    kg_query_begin(&query, "i", detection->run->id);
    while ((step = kg_query_step(&query, err)) == KG_STEP_ROW) {
        /* The tracked series are in this order, too. */
        while (i < detection->tracked_count &&
               detection->tracked[i].series < kg_row_integer(&query, 0))
            i++;
        if (i < detection->tracked_count && !detection->tracked[i].skipped &&
            detection->tracked[i].series == kg_row_integer(&query, 0)) {
            detection->tracked[i].row = (struct kg_level_row){0};
            detection->tracked[i].crept = 0;
        }
    }
    kg_query_free(&query);
    return step == KG_STEP_DONE;
}
