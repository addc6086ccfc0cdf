/* csv_tables.c: results and comparisons for spreadsheets and scripts, one row per case and metric. docs/reports.md
 * describes the columns. Rows of a history too. */
#include <math.h>
#include <string.h>

#include "base/csv.h"
#include "base/record.h"
#include "judge/history/history_audit.h"
#include "show/case_figures.h"
#include "show/format_parts.h"

/* The structs whose members form a row. */
enum { OF_FILE, OF_CASE, OF_METRIC, STRUCTS };

struct column {
    size_t of;
    struct kg_field field; /* STRING, REAL, SIZE, BOOL or ENUM; its name is the column's head */
};

/* The arguments after `member`: the kind, then attributes of struct kg_field. */
#define COLUMN(head, index, type, member, ...)                                                     \
    {                                                                                              \
        .of = (index), .field = {                                                                  \
            .name = (head),                                                                        \
            .offset = offsetof(struct type, member),                                               \
            .kind = KG_FIELD_##__VA_ARGS__                                                         \
        }                                                                                          \
    }
#define COUNT_OF(columns) (sizeof(columns) / sizeof *(columns))

static void heads_append(const struct column *columns, size_t count, struct kg_text *text)
{
    for (size_t i = 0; i < count; i++)
        kg_text_printf(text, "%s%s", i ? "," : "", columns[i].field.name);
}

static void field_append(const struct kg_field *field, const char *at, struct kg_text *text)
{
    union {
        const char *string;
        double real;
        size_t size;
        bool flag;
        int word;
    } value;
    memset(&value, 0, sizeof value);
    switch (field->kind) {
    case KG_FIELD_STRING:
        memcpy(&value.string, at, sizeof value.string);
        kg_csv_text(text, value.string);
        break;
    case KG_FIELD_REAL:
        memcpy(&value.real, at, sizeof value.real);
        kg_csv_number(text, value.real);
        break;
    case KG_FIELD_SIZE:
        memcpy(&value.size, at, sizeof value.size);
        if (value.size || !field->unknown_if_0)
            kg_text_printf(text, "%zu", value.size);
        break;
    case KG_FIELD_BOOL:
        memcpy(&value.flag, at, sizeof value.flag);
        kg_text_append(text, value.flag ? "1" : "0");
        break;
    case KG_FIELD_ENUM:
        memcpy(&value.word, at, sizeof value.word);
        kg_csv_text(text, field->names[value.word]);
        break;
    default: /* other kinds are no single value */
        break;
    }
}

/* Appends the fields of a row. If a struct is NULL, its fields are empty. */
static void fields_append(const struct column *columns, size_t count,
                          const void *const structs[STRUCTS], struct kg_text *text)
{
    for (size_t i = 0; i < count; i++) {
        const char *base = structs[columns[i].of];
        kg_text_append(text, i ? "," : "");
        if (base)
            field_append(&columns[i].field, base + columns[i].field.offset, text);
    }
}

/* --- Results ---------------------------------------------------------------------------------- */

#define OF_RESULTS(head, ...) COLUMN(head, OF_FILE, kg_results, __VA_ARGS__)
#define OF_RESULT(head, ...) COLUMN(head, OF_CASE, kg_case_result, __VA_ARGS__)
#define OF_TIDY(head, ...) COLUMN(head, OF_METRIC, kg_tidy, __VA_ARGS__)

static const struct column result_columns[] = {
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

/* Appends ",param_batch,param_version". The prefix separates parameters from other columns of the same name. */
static void parameter_heads(const struct kg_tidy_names *parameters, struct kg_text *text)
{
    for (size_t i = 0; i < parameters->count; i++) {
        struct kg_text head = {0};
        kg_text_printf(&head, "param_%s", parameters->names[i]);
        kg_text_append(text, ",");
        kg_csv_text(text, kg_text_string(&head));
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
    const void *const structs[STRUCTS] = {results, result, figure};
    fields_append(result_columns, COUNT_OF(result_columns), structs, text);
    parameter_fields(parameters, result, text);
}

/* The speedup over the reference is a figure of its own. */
static void speedup_row(const struct kg_results *results, const struct kg_sweep_cell *cell,
                        const struct kg_tidy_names *parameters, struct kg_text *text)
{
    const struct kg_tidy speedup = {.name = "speedup",
                                    .unit = "",
                                    .value = cell->speedup,
                                    .mean = NAN,
                                    .standard_deviation = NAN,
                                    .min = NAN,
                                    .max = NAN,
                                    .p95 = NAN,
                                    .interval_low = NAN,
                                    .interval_high = NAN};
    if (isfinite(cell->speedup))
        result_row(results, cell->result, &speedup, parameters, text);
}

/* A case without a figure has a row too, so that a failed case is visible. */
static void result_rows(const struct kg_results *results, const struct kg_case_result *result,
                        const struct kg_tidy_names *parameters, struct kg_text *text)
{
    struct kg_arena arena = {0};
    struct kg_tidy *figures;
    size_t count;
    kg_tidy_of(&arena, result, &figures, &count);
    if (!count)
        result_row(results, result, NULL, parameters, text);
    for (size_t i = 0; i < count; i++)
        result_row(results, result, &figures[i], parameters, text);
    kg_arena_free(&arena);
}

void kg_results_as_csv(const struct kg_report_subject *subject, struct kg_text *text)
{
    const struct kg_results *results = subject->results;
    struct kg_arena arena = {0};
    struct kg_tidy_names parameters;
    kg_tidy_parameters(&arena, results, &parameters);
    heads_append(result_columns, COUNT_OF(result_columns), text);
    parameter_heads(&parameters, text);
    for (size_t i = 0; i < results->case_count; i++) {
        result_rows(results, &results->cases[i], &parameters, text);
        if (subject->references)
            speedup_row(results, &subject->references[i], &parameters, text);
    }
    kg_arena_free(&arena);
}

/* --- Comparisons ------------------------------------------------------------------------------ */

#define OF_COMPARISON(head, ...) COLUMN(head, OF_FILE, kg_comparison, __VA_ARGS__)
#define OF_CHANGE(head, ...) COLUMN(head, OF_CASE, kg_case_change, __VA_ARGS__)
#define IN_METRIC(head, ...) COLUMN(head, OF_METRIC, kg_metric, __VA_ARGS__)

static const struct column change_columns[] = {
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
    OF_CHANGE("shard", shard, SIZE, .unknown_if_0 = true),
    OF_CHANGE("node", node, STRING),
};

void kg_comparison_as_csv(const struct kg_report_subject *subject, struct kg_text *text)
{
    const struct kg_comparison *comparison = subject->comparison;
    heads_append(change_columns, COUNT_OF(change_columns), text);
    kg_text_append(text, "\n");
    for (size_t i = 0; i < comparison->case_count; i++) {
        const struct kg_case_change *change = &comparison->cases[i];
        const size_t rows = change->metric_count ? change->metric_count : 1;
        for (size_t m = 0; m < rows; m++) {
            const void *const structs[STRUCTS] = {
                comparison, change, m < change->metric_count ? &change->metrics[m] : NULL};
            fields_append(change_columns, COUNT_OF(change_columns), structs, text);
            kg_text_append(text, "\n");
        }
    }
}

/* --- Histories -------------------------------------------------------------------------------- */

#define OF_RUN(head, ...) COLUMN(head, OF_FILE, kg_history_run, __VA_ARGS__)
#define OF_SERIES(head, ...) COLUMN(head, OF_CASE, kg_history_series, __VA_ARGS__)
#define OF_POINT(head, ...) COLUMN(head, OF_METRIC, kg_history_point, __VA_ARGS__)
#define OF_STEP(head, ...) COLUMN(head, OF_CASE, kg_history_change, __VA_ARGS__)
#define OF_AUDIT(head, ...) COLUMN(head, OF_FILE, kg_history_audit, __VA_ARGS__)
#define OF_AUDITED(head, ...) COLUMN(head, OF_CASE, kg_audited_case, __VA_ARGS__)

#define RUN_COLUMNS                                                                                \
    OF_RUN("run", hash, STRING), OF_RUN("suite", suite, STRING),                                   \
        OF_RUN("kind", kind, ENUM, .names = kg_history_kind_names),                                \
        OF_RUN("started", started, STRING), OF_RUN("commit", commit, STRING),                      \
        OF_RUN("branch", branch, STRING), OF_RUN("machine", machine, STRING),                      \
        OF_RUN("host", host, STRING)

static const struct column run_columns[] = {RUN_COLUMNS, OF_RUN("points", points, SIZE)};

static const struct column point_columns[] = {
    RUN_COLUMNS,
    OF_SERIES("case", id_of_case, STRING),
    OF_SERIES("metric", metric, STRING),
    OF_SERIES("unit", unit, STRING),
    OF_POINT("value", value, REAL),
    OF_POINT("error", error, REAL),
    OF_POINT("deviation", deviation, REAL),
    OF_POINT("rounds", rounds, SIZE),
    OF_POINT("code", code, STRING),
};

static const struct column step_columns[] = {
    OF_STEP("suite", suite, STRING),
    OF_STEP("case", id_of_case, STRING),
    OF_STEP("metric", metric, STRING),
    OF_STEP("machine", machine, STRING),
    OF_STEP("host", host, STRING),
    OF_STEP("kind", kind, STRING),
    OF_STEP("ratio", ratio, REAL),
    OF_STEP("interval_low", low, REAL),
    OF_STEP("interval_high", high, REAL),
    OF_STEP("cause", cause, STRING),
    OF_STEP("state", state, STRING),
    OF_STEP("seconds", seconds, REAL),
    OF_STEP("commit_before", commit_before, STRING),
    OF_STEP("commit_after", commit_after, STRING),
    OF_STEP("culprit", culprit, STRING),
    OF_STEP("found", found, STRING),
};

static const struct column audited_columns[] = {
    OF_AUDIT("suite", suite, STRING),     OF_AUDIT("machine", machine, STRING),
    OF_AUDIT("host", host, STRING),       OF_AUDITED("case", id_of_case, STRING),
    OF_AUDITED("metric", metric, STRING), OF_AUDITED("runs", runs, SIZE),
    OF_AUDITED("between", between, REAL), OF_AUDITED("within", within, REAL),
    OF_AUDITED("visible", visible, REAL),
};

static void row_append(const struct column *columns, size_t count, const void *file,
                       const void *of_case, const void *metric, struct kg_text *text)
{
    const void *const structs[STRUCTS] = {file, of_case, metric};
    fields_append(columns, count, structs, text);
    kg_text_append(text, "\n");
}

static void points_append(const struct kg_history *history, struct kg_text *text)
{
    for (size_t i = 0; i < history->series_count; i++) {
        const struct kg_history_series *series = &history->series[i];
        for (size_t p = 0; p < series->point_count; p++)
            row_append(point_columns, COUNT_OF(point_columns),
                       &history->runs[series->points[p].run], series, &series->points[p], text);
    }
}

static void audits_append(const struct kg_history *history, struct kg_text *text)
{
    for (size_t i = 0; i < history->audit_count; i++)
        for (size_t c = 0; c < history->audits[i].case_count; c++)
            row_append(audited_columns, COUNT_OF(audited_columns), &history->audits[i],
                       &history->audits[i].cases[c], NULL, text);
}

void kg_history_as_csv(const struct kg_report_subject *subject, struct kg_text *text)
{
    static const struct {
        const struct column *columns;
        size_t count;
    } heads[KG_HISTORY_CONTENTS] = {{run_columns, COUNT_OF(run_columns)},
                                    {point_columns, COUNT_OF(point_columns)},
                                    {step_columns, COUNT_OF(step_columns)},
                                    {audited_columns, COUNT_OF(audited_columns)}};
    const struct kg_history *history = subject->history;
    heads_append(heads[history->content].columns, heads[history->content].count, text);
    kg_text_append(text, "\n");
    if (history->content == KG_HISTORY_TRENDS)
        points_append(history, text);
    else if (history->content == KG_HISTORY_AUDITS)
        audits_append(history, text);
    for (size_t i = 0; history->content == KG_HISTORY_LIST && i < history->run_count; i++)
        row_append(run_columns, COUNT_OF(run_columns), &history->runs[i], NULL, NULL, text);
    for (size_t i = 0; history->content == KG_HISTORY_CHANGES && i < history->change_count; i++)
        row_append(step_columns, COUNT_OF(step_columns), NULL, &history->changes[i], NULL, text);
}
