#include "run/case_counters.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/series.h"
#include "run/case_worker.h"

void kg_case_value_append(const struct kg_session *session, struct kg_series *counter, double value)
{
    kg_arena_grow(&session->results->arena, &counter->values, counter->value_count,
                  &counter->value_capacity, sizeof *counter->values);
    counter->values[counter->value_count++] = value;
}

static bool of_workload(const struct kg_series *counter)
{
    return !strcmp(counter->source, KG_SERIES_OF_WORKLOAD);
}

/* One that the suite does not name: nobody judges it. */
static bool unnamed(const struct kg_series *counter)
{
    return of_workload(counter) && isnan(counter->threshold);
}

static bool named_append(const struct kg_session *session, size_t index,
                         const struct kg_response *response, bool *all, struct kg_error *err)
{
    struct kg_case_result *result = &session->results->cases[index];
    char reason[256];
    *all = true;
    for (size_t c = 0; c < result->series_count && *all; c++) {
        struct kg_series *counter = &result->series[c];
        if (!of_workload(counter) || unnamed(counter))
            continue;
        const double value = kg_reported_find(response, counter->name);
        *all = kg_series_value_good(value);
        if (*all)
            kg_case_value_append(session, counter, value);
        snprintf(reason, sizeof reason,
                 "the workload did not report '%.100s' (`counters:` of the suite), or reported no "
                 "number from 0 up",
                 counter->name);
    }
    return *all ? true : kg_case_fail(session, index, reason, "", err);
}

/* The workload's counter of this name, or a new one. */
static struct kg_series *counter_of(const struct kg_session *session, struct kg_case_result *result,
                                    const char *name)
{
    struct kg_arena *arena = &session->results->arena;
    for (size_t c = 0; c < result->series_count; c++)
        if (of_workload(&result->series[c]) && !strcmp(result->series[c].name, name))
            return &result->series[c];
    struct kg_series *series = kg_series_grow(arena, result, 1);
    series[result->series_count] = (struct kg_series){
        .name = kg_arena_copy(arena, name), .source = KG_SERIES_OF_WORKLOAD, .threshold = NAN};
    return &series[result->series_count++];
}

/* The case's series of a reading's metric, made at the first. */
static struct kg_series *reading_series(const struct kg_session *session, size_t index,
                                        const struct kg_reading *reading)
{
    struct kg_case_result *result = &session->results->cases[index];
    struct kg_arena *arena = &session->results->arena;
    const struct kg_metric_row *row = &kg_metric_rows[reading->metric];
    struct kg_series *series = kg_case_series(result, reading->metric);
    if (series)
        return series;
    series = kg_series_grow(arena, result, 1);
    series += result->series_count++;
    *series = (struct kg_series){
        .name = kg_metric_kind_names[reading->metric],
        .source = kg_arena_copy(arena, reading->source),
        .better = row->better,
        .threshold = session->plan->cases[index].spec->settings.thresholds[reading->metric]};
    return series;
}

/* Whether a case has that note already: one sentence a machine, not one a case. */
static bool note_exists(const struct kg_results *results, const char *note)
{
    for (size_t i = 0; i < results->case_count && note; i++)
        if (results->cases[i].note && !strcmp(results->cases[i].note, note))
            return true;
    return false;
}

static void reading_append(const struct kg_session *session, size_t index,
                           const struct kg_reading *reading)
{
    struct kg_case_result *result = &session->results->cases[index];
    struct kg_series *series = reading_series(session, index, reading);
    if (series->reason)
        return;
    if (kg_series_value_good(reading->value) && series->value_count == result->round_count) {
        kg_case_value_append(session, series, reading->value);
        return;
    }
    series->source = KG_SERIES_OF_NOTHING;
    series->value_count = 0;
    series->reason =
        kg_arena_copy(&session->results->arena,
                      reading->reason ? reading->reason : "not every round has a reading");
    if (!result->note && !note_exists(session->results, series->reason))
        result->note = series->reason;
}

bool kg_case_counters_append(const struct kg_session *session, size_t index,
                             const struct kg_response *response, bool *all, struct kg_error *err)
{
    struct kg_case_result *result = &session->results->cases[index];
    if (!named_append(session, index, response, all, err))
        return false;
    for (size_t i = 0; i < response->reading_count && *all; i++)
        reading_append(session, index, &response->readings[i]);
    for (size_t i = 0; i < response->reported_count && *all; i++) {
        const struct kg_reported *reported = &response->reported[i];
        if (!*reported->name || !kg_series_value_good(reported->value))
            continue;
        struct kg_series *counter = counter_of(session, result, reported->name);
        if (unnamed(counter) && counter->value_count <= result->round_count)
            kg_case_value_append(session, counter, reported->value);
    }
    return true;
}
