#include "model/series.h"

#include <math.h>
#include <string.h>

#include "base/statistics/stats.h"

static bool of_source(const struct kg_series *series, const char *source)
{
    return !strcmp(series->source, source);
}

static enum kg_metric_kind kind_of(const struct kg_series *series)
{
    return of_source(series, KG_SERIES_OF_WORKLOAD) ? KG_METRIC_KINDS
                                                    : kg_metric_kind_find(series->name);
}

const struct kg_metric_row *kg_series_row(const struct kg_series *series)
{
    const enum kg_metric_kind kind = kind_of(series);
    return kind == KG_METRIC_KINDS ? &kg_metric_of_workload : &kg_metric_rows[kind];
}

const char *kg_series_unit(const struct kg_series *series)
{
    return series->unit ? series->unit : kg_series_row(series)->unit;
}

struct kg_series *kg_case_series(const struct kg_case_result *result, enum kg_metric_kind kind)
{
    for (size_t i = 0; i < result->series_count; i++)
        if (kind_of(&result->series[i]) == kind)
            return &result->series[i];
    return NULL;
}

bool kg_metric_asked(const struct kg_case_result *result, enum kg_metric_kind kind)
{
    const unsigned usual = 1u << KG_METRIC_TIME | 1u << KG_METRIC_PEAK_MEMORY;
    return (result->metrics ? result->metrics : usual) & 1u << kind;
}

bool kg_series_unasked(const struct kg_case_result *result, const struct kg_series *series)
{
    const enum kg_metric_kind kind = kind_of(series);
    return kind != KG_METRIC_KINDS && (result->unasked_metrics & 1u << kind);
}

bool kg_series_compared(const struct kg_case_result *result, const struct kg_series *series)
{
    const enum kg_origin origin = kg_series_row(series)->origin;
    if (origin == KG_ORIGIN_FIELD && !kg_metric_asked(result, kind_of(series)))
        return false;
    if (origin == KG_ORIGIN_READING && of_source(series, KG_SERIES_OF_NOTHING))
        return false;
    return series->threshold >= 0;
}

bool kg_series_by_round(const struct kg_series *series)
{
    return of_source(series, KG_SERIES_OF_WORKLOAD) ||
           (kind_of(series) != KG_METRIC_KINDS && kg_series_row(series)->origin != KG_ORIGIN_APART);
}

size_t kg_series_count(const struct kg_case_result *result, const struct kg_series *series)
{
    return of_source(series, KG_SERIES_OF_ROUNDS) ? result->round_count : series->value_count;
}

/* The field of a round's record with that name; NULL: none. */
static const struct kg_field *round_field(const char *name)
{
    for (size_t i = 0; i < kg_round_record.field_count && name; i++)
        if (!strcmp(kg_round_record.fields[i].name, name))
            return &kg_round_record.fields[i];
    return NULL;
}

static double round_number(const struct kg_round *round, const struct kg_field *field)
{
    double real;
    uint64_t whole;
    memcpy(&real, (const char *)round + field->offset, sizeof real);
    memcpy(&whole, (const char *)round + field->offset, sizeof whole);
    return field->kind == KG_FIELD_COUNT ? (double)whole : real;
}

const double *kg_series_values(struct kg_arena *arena, const struct kg_case_result *result,
                               const struct kg_series *series)
{
    if (!of_source(series, KG_SERIES_OF_ROUNDS) && series->value_count)
        return series->values;
    const struct kg_field *field = round_field(kg_series_row(series)->round_field);
    const size_t count = kg_series_count(result, series);
    double *values = kg_arena_alloc(arena, count, sizeof *values);
    for (size_t i = 0; i < count; i++)
        values[i] = field ? round_number(&result->rounds[i], field) : NAN;
    return values;
}

double kg_series_min_effect(const struct kg_series *series)
{
    return series->min_effect >= 0 ? series->min_effect : 0;
}

bool kg_series_value_good(double value)
{
    static const double MOST = 1e300; /* sums of values must be finite too */
    return value >= 0 && value <= MOST;
}

struct kg_series *kg_series_grow(struct kg_arena *arena, struct kg_case_result *result, size_t more)
{
    struct kg_series *series = kg_arena_alloc(arena, result->series_count + more, sizeof *series);
    if (result->series_count)
        memcpy(series, result->series, result->series_count * sizeof *series);
    return result->series = series;
}

/* Time and memory have columns of their own. */
static bool is_figure(const struct kg_case_result *result, const struct kg_series *series)
{
    const enum kg_metric_kind kind = kind_of(series);
    if (!kg_series_by_round(series) || !kg_series_count(result, series))
        return false;
    return kind == KG_METRIC_KINDS || (kind != KG_METRIC_TIME && kind != KG_METRIC_PEAK_MEMORY &&
                                       kg_series_compared(result, series));
}

static void median_find(struct kg_arena *arena, const struct kg_case_result *result,
                        const struct kg_series *series, double *median)
{
    const size_t count = kg_series_count(result, series);
    const double *values = kg_series_values(arena, result, series);
    double *scratch = kg_arena_alloc(arena, count, sizeof *scratch);
    *median = kg_median_of(values, count, scratch);
}

void kg_case_figures(struct kg_arena *arena, const struct kg_case_result *result,
                     struct kg_figure **figures, size_t *count)
{
    *count = 0;
    *figures = kg_arena_alloc(arena, result->series_count, sizeof **figures);
    for (size_t i = 0; i < result->series_count; i++) {
        const struct kg_series *series = &result->series[i];
        struct kg_figure *figure = &(*figures)[*count];
        if (!is_figure(result, series))
            continue;
        *figure = (struct kg_figure){.name = kg_arena_keep(arena, series->name),
                                     .unit = kg_series_unit(series)};
        median_find(arena, result, series, &figure->value);
        *count += isnan(figure->value) ? 0 : 1;
    }
}
