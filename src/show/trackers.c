/* trackers.c: results for services that keep a history of benchmarks: github-action-benchmark
 * (`customSmallerIsBetter`) and Bencher (its Bencher Metric Format). */
#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/json_string.h"
#include "show/case_figures.h"
#include "show/format_parts.h"

/* Appends the JSON and gives the reference back. */
static bool json_finish(json_t *json, bool good, struct kg_text *text, struct kg_error *err)
{
    char *all = good ? json_dumps(json, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) : NULL;
    json_decref(json);
    if (!all)
        return kg_error_memory(err);
    kg_text_append(text, all);
    kg_text_append(text, "\n");
    free(all);
    return true;
}

/* Every figure of every case, until one is refused. */
static bool figures_visit(const struct kg_results *results,
                          bool (*visit)(json_t *json, const struct kg_case_result *result,
                                        const struct kg_tidy *figure),
                          json_t *json)
{
    bool good = json != NULL;
    for (size_t i = 0; i < results->case_count && good; i++) {
        struct kg_arena arena = {0};
        struct kg_tidy *figures;
        size_t count;
        good = kg_tidy_of(&arena, &results->cases[i], &figures, &count);
        for (size_t f = 0; good && f < count; f++)
            good = visit(json, &results->cases[i], &figures[f]);
        kg_arena_free(&arena);
    }
    return good;
}

/* --- github-action-benchmark ------------------------------------------------------------------ */

/* "± 120": half the interval, in the unit of the value. */
static bool range_set(json_t *entry, const struct kg_tidy *figure)
{
    struct kg_text text = {0};
    if (!isfinite(figure->interval_low) || !isfinite(figure->interval_high))
        return true;
    kg_text_printf(&text, "± %.3g", (figure->interval_high - figure->interval_low) / 2);
    const bool good =
        !text.failed &&
        json_object_set_new(entry, "range", kg_json_string(kg_text_string(&text))) == 0;
    kg_text_free(&text);
    return good;
}

/* The name of the time is the case's, so that a history goes on where only times were kept. */
static bool smaller_add(json_t *json, const struct kg_case_result *result,
                        const struct kg_tidy *figure)
{
    struct kg_text name = {0}, extra = {0};
    const bool is_time = !strcmp(figure->name, kg_metric_kind_names[KG_METRIC_TIME]);
    if (!figure->smaller_is_better)
        return true;
    kg_text_printf(&name, "%s%s%s", result->id, is_time ? "" : " ", is_time ? "" : figure->name);
    kg_text_printf(&extra, "rounds: %zu\nstatus: %s", result->round_count,
                   kg_status_names[result->status]);
    json_t *entry = json_pack("{s:o, s:s, s:f, s:o}", "name", kg_json_string(kg_text_string(&name)),
                              "unit", figure->unit, "value", figure->value, "extra",
                              kg_json_string(kg_text_string(&extra)));
    const bool good = entry && !name.failed && !extra.failed && range_set(entry, figure) &&
                      json_array_append(json, entry) == 0;
    json_decref(entry);
    kg_text_free(&name);
    kg_text_free(&extra);
    return good;
}

bool kg_results_as_smaller_is_better(const struct kg_report_subject *subject, struct kg_text *text,
                                     struct kg_error *err)
{
    json_t *json = json_array();
    return json_finish(json, figures_visit(subject->results, smaller_add, json), text, err);
}

/* --- Bencher ---------------------------------------------------------------------------------- */

enum { BENCHMARK_MOST = 1024, SLUG_MOST = 64 }; /* characters, as Bencher's reference has it */

/* Bencher has measures of its own for the first two, with units ns and operations a second. */
static const char *const measures[][2] = {
    {"time", "latency"},
    {"items_per_second", "throughput"},
};

/* Lower case, digits and hyphens, as a slug has to be. */
static void slug_make(const char *name, char slug[SLUG_MOST + 1])
{
    size_t length = 0;
    for (size_t i = 0; i < sizeof measures / sizeof *measures; i++)
        if (!strcmp(measures[i][0], name))
            name = measures[i][1];
    for (const char *s = name; *s && length < SLUG_MOST; s++)
        if (isalnum((unsigned char)*s))
            slug[length++] = (char)tolower((unsigned char)*s);
        else if (length && slug[length - 1] != '-')
            slug[length++] = '-';
    while (length && slug[length - 1] == '-')
        length--;
    slug[length] = '\0';
    if (!length)
        memcpy(slug, "figure", sizeof "figure");
}

/* The measures of the case's benchmark; borrowed. NULL where memory is out. */
static json_t *benchmark_of(json_t *json, const char *id)
{
    struct kg_text name = {0};
    json_t *benchmark = NULL;
    kg_escape_terminal(&name, id, BENCHMARK_MOST - 1);
    if (!name.failed) {
        benchmark = json_object_get(json, kg_text_string(&name));
        if (!benchmark && json_object_set_new(json, kg_text_string(&name), json_object()) == 0)
            benchmark = json_object_get(json, kg_text_string(&name));
    }
    kg_text_free(&name);
    return benchmark;
}

static bool measure_add(json_t *json, const struct kg_case_result *result,
                        const struct kg_tidy *figure)
{
    char slug[SLUG_MOST + 1];
    json_t *benchmark = benchmark_of(json, result->id);
    json_t *measure = json_pack("{s:f}", "value", figure->value);
    slug_make(figure->name, slug);
    bool good = benchmark && measure;
    if (good && isfinite(figure->interval_low) && isfinite(figure->interval_high))
        good = json_object_set_new(measure, "lower_value", json_real(figure->interval_low)) == 0 &&
               json_object_set_new(measure, "upper_value", json_real(figure->interval_high)) == 0;
    good = good && json_object_set(benchmark, slug, measure) == 0;
    json_decref(measure);
    return good;
}

bool kg_results_as_bencher(const struct kg_report_subject *subject, struct kg_text *text,
                           struct kg_error *err)
{
    json_t *json = json_object();
    return json_finish(json, figures_visit(subject->results, measure_add, json), text, err);
}
