/* comparison_csv.c: results and comparisons for spreadsheets and scripts: a row for each case and metric.
 * docs/reports.md tells of the columns. */
#include <math.h>
#include <string.h>

#include "base/csv.h"
#include "show/case_figures.h"
#include "show/csv_columns.h"
#include "show/format_parts.h"

enum { OF_FILE, OF_CASE, OF_METRIC };
#define COUNT_OF(columns) (sizeof(columns) / sizeof *(columns))

/* --- Results ---------------------------------------------------------------------------------- */

#define OF_RESULTS(head, ...) KG_CSV_COLUMN(head, OF_FILE, kg_results, __VA_ARGS__)
#define OF_RESULT(head, ...) KG_CSV_COLUMN(head, OF_CASE, kg_case_result, __VA_ARGS__)
#define OF_TIDY(head, ...) KG_CSV_COLUMN(head, OF_METRIC, kg_tidy, __VA_ARGS__)

static const struct kg_csv_column result_columns[] = {
    OF_RESULTS("suite", suite, STRING),
    OF_RESULT("case", id, STRING),
    OF_RESULT("workload", workload, STRING),
    OF_RESULT("device", device, STRING),
    OF_RESULT("status", status, ENUM, .names = kg_status_names),
    OF_RESULT("rounds", round_count, SIZE),
    OF_TIDY("metric", name, STRING),
    OF_TIDY("unit", unit, STRING),
    OF_TIDY("value", value, REAL),
    OF_TIDY("mean", mean, REAL),
    OF_TIDY("standard_deviation", standard_deviation, REAL),
    OF_TIDY("min", min, REAL),
    OF_TIDY("max", max, REAL),
    OF_TIDY("p95", p95, REAL),
    OF_TIDY("interval_low", interval_low, REAL),
    OF_TIDY("interval_high", interval_high, REAL),
    OF_RESULT("reason", reason, STRING),
    OF_RESULTS("commit", commit, STRING),
};

/* ",param_batch,param_version": names of parameters cannot be mistaken for the columns before. */
static void parameter_heads(const struct kg_tidy_names *parameters, struct kg_text *text)
{
    for (size_t i = 0; i < parameters->count; i++) {
        struct kg_text head = {0};
        kg_text_printf(&head, "param_%s", parameters->names[i]);
        kg_text_append(text, ",");
        kg_csv_text(text, kg_text_string(&head));
        text->failed = text->failed || head.failed;
        kg_text_free(&head);
    }
    kg_text_append(text, "\n");
}

static void parameter_fields(const struct kg_tidy_names *parameters,
                             const struct kg_case_result *result, struct kg_text *text)
{
    for (size_t i = 0; i < parameters->count; i++) {
        kg_text_append(text, ",");
        kg_csv_text(text, kg_tidy_parameter(result, parameters->names[i]));
    }
    kg_text_append(text, "\n");
}

static void result_row(const struct kg_results *results, const struct kg_case_result *result,
                       const struct kg_tidy *figure, const struct kg_tidy_names *parameters,
                       struct kg_text *text)
{
    const void *const structs[KG_CSV_STRUCTS] = {results, result, figure};
    kg_csv_fields(result_columns, COUNT_OF(result_columns), structs, text);
    parameter_fields(parameters, result, text);
}

/* A case without a figure has a row too, or a failure would not be seen. */
static bool result_rows(const struct kg_results *results, const struct kg_case_result *result,
                        const struct kg_tidy_names *parameters, struct kg_text *text)
{
    struct kg_arena arena = {0};
    struct kg_tidy *figures;
    size_t count;
    const bool good = kg_tidy_of(&arena, result, &figures, &count);
    if (good && !count)
        result_row(results, result, NULL, parameters, text);
    for (size_t i = 0; good && i < count; i++)
        result_row(results, result, &figures[i], parameters, text);
    kg_arena_free(&arena);
    return good;
}

bool kg_results_as_csv(const struct kg_report_subject *subject, struct kg_text *text,
                       struct kg_error *err)
{
    const struct kg_results *results = subject->results;
    struct kg_arena arena = {0};
    struct kg_tidy_names parameters;
    bool good = kg_tidy_parameters(&arena, results, &parameters);
    if (good) {
        kg_csv_heads(result_columns, COUNT_OF(result_columns), text);
        parameter_heads(&parameters, text);
    }
    for (size_t i = 0; good && i < results->case_count; i++)
        good = result_rows(results, &results->cases[i], &parameters, text);
    kg_arena_free(&arena);
    return good || kg_error_memory(err);
}

/* --- Comparisons ------------------------------------------------------------------------------ */

#define OF_COMPARISON(head, ...) KG_CSV_COLUMN(head, OF_FILE, kg_comparison, __VA_ARGS__)
#define OF_CHANGE(head, ...) KG_CSV_COLUMN(head, OF_CASE, kg_case_change, __VA_ARGS__)
#define IN_METRIC(head, ...) KG_CSV_COLUMN(head, OF_METRIC, kg_metric, __VA_ARGS__)

static const struct kg_csv_column change_columns[] = {
    OF_COMPARISON("suite", suite, STRING),
    OF_CHANGE("case", id, STRING),
    OF_CHANGE("workload", workload, STRING),
    OF_CHANGE("device", device, STRING),
    OF_CHANGE("case_change", change, ENUM, .names = kg_change_names),
    OF_CHANGE("fails", fails, BOOL),
    OF_CHANGE("rounds", rounds, SIZE),
    IN_METRIC("metric", name, STRING),
    IN_METRIC("against", against, STRING),
    IN_METRIC("unit", unit, STRING),
    IN_METRIC("baseline", baseline, REAL),
    IN_METRIC("current", current, REAL),
    IN_METRIC("ratio", ratio, REAL),
    IN_METRIC("interval_low", interval_low, REAL),
    IN_METRIC("interval_high", interval_high, REAL),
    IN_METRIC("p_value", p_value, REAL),
    IN_METRIC("threshold", threshold, REAL),
    IN_METRIC("change", change, ENUM, .names = kg_change_names),
    IN_METRIC("reason", reason, STRING),
    OF_CHANGE("case_reason", reason, STRING),
    OF_COMPARISON("commit", commit, STRING),
    OF_COMPARISON("baseline_commit", baseline_commit, STRING),
};

bool kg_comparison_as_csv(const struct kg_report_subject *subject, struct kg_text *text,
                          struct kg_error *err)
{
    const struct kg_comparison *comparison = subject->comparison;
    (void)err;
    kg_csv_heads(change_columns, COUNT_OF(change_columns), text);
    kg_text_append(text, "\n");
    for (size_t i = 0; i < comparison->case_count; i++) {
        const struct kg_case_change *change = &comparison->cases[i];
        const size_t rows = change->metric_count ? change->metric_count : 1;
        for (size_t m = 0; m < rows; m++) {
            const void *const structs[KG_CSV_STRUCTS] = {
                comparison, change, m < change->metric_count ? &change->metrics[m] : NULL};
            kg_csv_fields(change_columns, COUNT_OF(change_columns), structs, text);
            kg_text_append(text, "\n");
        }
    }
    return true;
}
