/* history_prior.c: the variances of every series of a machine, from the rows of the change detector. No point is read.
 * Hosts of one fingerprint share a baseline, so they share their prior. */
#include <math.h>
#include <string.h>

#include "judge/history/history_database.h"
#include "judge/history/history_detector.h"

/* Adds another host's variance, weighted by degrees of freedom. */
static void variance_pool(struct kg_variance *into, struct kg_variance other)
{
    const double freedom = into->freedom + other.freedom;
    if (!(other.freedom > 0))
        return;
    into->value = into->freedom > 0
                      ? (into->freedom * into->value + other.freedom * other.value) / freedom
                      : other.value;
    into->freedom = fmin(freedom, KG_PRIOR_FREEDOM_MOST);
}

static void series_pool(struct kg_prior_series *into, const struct kg_prior_series *other)
{
    variance_pool(&into->between, other->between);
    variance_pool(&into->within, other->within);
    into->runs += other->runs;
}

/* Columns: suite, case, definition, metric, source, state. */
static bool series_read(const struct kg_query *query, struct kg_arena *arena,
                        struct kg_prior_series *series)
{
    struct kg_level_row row;
    const char *state = kg_row_text(query, 5);
    if (!state || !kg_level_text_read(state, &row) || !row.level.runs)
        return false;
    *series = (struct kg_prior_series){.suite = kg_row_copy(query, 0, arena),
                                       .id_of_case = kg_row_copy(query, 1, arena),
                                       .definition_hash = kg_row_copy(query, 2, arena),
                                       .metric = kg_row_copy(query, 3, arena),
                                       .source = kg_row_copy(query, 4, arena),
                                       .runs = (size_t)row.level.runs,
                                       .between = kg_prior_between(&row.level),
                                       .within = kg_prior_within(&row.level)};
    return *series->id_of_case && (series->between.freedom > 0 || series->within.freedom > 0);
}

static void series_add(struct kg_arena *arena, const struct kg_prior_series *series,
                       size_t *capacity, struct kg_stored_prior *prior)
{
    struct kg_prior_series *last =
        prior->series_count ? &prior->series[prior->series_count - 1] : NULL;
    if (last && !kg_prior_series_compare(last, series)) {
        series_pool(last, series);
        return;
    }
    kg_arena_grow(arena, &prior->series, prior->series_count, capacity, sizeof *prior->series);
    prior->series[prior->series_count++] = *series;
}

bool kg_history_prior(struct kg_history_database *database, const struct kg_history_filter *filter,
                      struct kg_arena *arena, struct kg_stored_prior *prior, struct kg_error *err)
{
    static const char sql[] =
        "SELECT s.suite, s.case_, s.definition, s.metric, s.source, l.state FROM level AS l JOIN "
        "series AS s ON s.id = l.series JOIN machine AS m ON m.id = s.machine WHERE m.class = $1 "
        "AND s.control = 0 AND ($2 = '' OR s.suite = $2) ORDER BY s.suite, s.case_, s.definition, "
        "s.metric, "
        "s.source, m.host";
    struct kg_query query = {0};
    struct kg_prior_series series;
    enum kg_step step = KG_STEP_FAILED;
    size_t capacity = 0;
    if (!kg_query_prepare(database, sql, &query, err))
        return false;
    *prior = (struct kg_stored_prior){.fingerprint = filter->machine};
    kg_query_begin(&query, "tt", filter->machine, filter->suite ? filter->suite : "");
    while ((step = kg_query_step(&query, err)) == KG_STEP_ROW)
        if (series_read(&query, arena, &series))
            series_add(arena, &series, &capacity, prior);
    kg_query_free(&query);
    kg_stored_prior_sort(prior);
    if (step == KG_STEP_DONE && !prior->series_count)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "the history '%.300s' has no two runs of a case%s%.100s on %.200s",
                            database->name, filter->suite ? " of suite " : "",
                            filter->suite ? filter->suite : "", filter->machine);
    return step == KG_STEP_DONE;
}
