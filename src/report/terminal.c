#include <math.h>
#include <stdint.h>
#include <string.h>

#include "measure/throttle.h"
#include "report/advice.h"
#include "report/cells.h"
#include "report/report.h"
#include "report/table.h"
#include "util/escape.h"
#include "util/units.h"

enum { NAME_MOST = 100, REASON_MOST = 400, ADVICE_MOST = 200 };

static const char RED[] = "\x1b[31m", GREEN[] = "\x1b[32m", YELLOW[] = "\x1b[33m",
                  DIM[] = "\x1b[2m", BOLD[] = "\x1b[1m", PLAIN[] = "\x1b[0m";

static const char *change_colour(enum kg_change change)
{
    switch (change) {
    case KG_CHANGE_FAILED:
    case KG_CHANGE_REGRESSION:
        return RED;
    case KG_CHANGE_IMPROVEMENT:
        return GREEN;
    case KG_CHANGE_NO_CHANGE:
        return DIM;
    default:
        return YELLOW;
    }
}

static const char *escaped(struct kg_arena *arena, const char *string)
{
    struct kg_text text = {0};
    kg_escape_terminal(&text, string, SIZE_MAX);
    const char *copy = text.failed ? NULL : kg_arena_copy(arena, kg_text_string(&text));
    kg_text_free(&text);
    return copy;
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void verdict_print(const struct kg_comparison *comparison,
                          const struct kg_report_style *style, struct kg_text *text)
{
    const bool pass = comparison->verdict == KG_VERDICT_PASS;
    kg_text_printf(text, "%s%s%s%s  ", style->colour ? BOLD : "",
                   style->colour ? (pass ? GREEN : RED) : "", kg_verdict_names[comparison->verdict],
                   style->colour ? PLAIN : "");
    kg_escape_terminal(text, comparison->suite, NAME_MOST);
    kg_text_append(text, ", ");
    kg_cell_counts(comparison, text);
    kg_text_append(text, "\n");
    for (size_t i = 0; i < comparison->verdict_reason_count; i++) {
        kg_text_append(text, "  ");
        kg_escape_terminal(text, comparison->verdict_reasons[i], REASON_MOST);
        kg_text_append(text, "\n");
    }
}

/* Appends, behind a separator where it is not the first. */
static void part_append(struct kg_text *text, const char *separator, const char *part)
{
    if (!part || !*part)
        return;
    kg_text_append(text, text->length ? separator : "");
    kg_escape_terminal(text, part, REASON_MOST);
}

/* What rows are made with. */
struct change_table {
    const struct kg_suggestions *suggestions; /* NULL without any */
    const struct kg_report_style *style;
};

/* What stands under a row: its circumstances and its reason, where that was not said above, and
 * what its workload reports where that is asked for. */
static void under_row(const struct kg_case_change *change, struct kg_arena *arena, bool said,
                      bool verbose, struct kg_text *text)
{
    if (!said) {
        part_append(text, "", kg_cell_circumstances(arena, change));
        part_append(text, ": ", change->reason);
    }
    if (verbose)
        part_append(text, "; ", kg_cell_figures(arena, change->figures, change->figure_count));
}

/* What changed in its evidence and, of a regression, what to try, a line each. */
static void advice_append(const struct kg_suggestions *suggestions,
                          const struct kg_case_change *change, struct kg_text *text)
{
    if (!suggestions)
        return;
    const struct kg_evidence_change *evidence = kg_suggestions_change(suggestions, change->id);
    const struct kg_suggestion *suggestion = change->change == KG_CHANGE_REGRESSION
                                                 ? kg_suggestions_first(suggestions, change->id)
                                                 : NULL;
    if (evidence)
        part_append(text, "\n", evidence->text);
    if (suggestion) {
        part_append(text, "\n", suggestion->rule);
        kg_text_append(text, ": ");
        kg_escape_terminal(text, suggestion->description, ADVICE_MOST);
    }
}

/* What stands under a row, with the advice. */
static const char *under_change(struct kg_arena *arena, const struct change_table *how,
                                const struct kg_case_change *change, bool said)
{
    struct kg_text text = {0};
    under_row(change, arena, said, how->style->verbose, &text);
    advice_append(how->suggestions, change, &text);
    const char *copy = text.length ? kg_arena_copy(arena, text.data) : NULL;
    kg_text_free(&text);
    return copy;
}

static void change_row(struct kg_table *table, const struct change_table *how,
                       const struct kg_case_change *change, const char *reason_before)
{
    struct kg_arena *arena = &table->arena;
    struct kg_table_row *row = kg_table_row_add(table);
    char time[KG_UNIT_BYTES];
    if (!row)
        return;
    row->cells[0] = escaped(arena, change->id);
    if (change->metric_count && change->change != KG_CHANGE_NEW) {
        const struct kg_metric *metric = &change->metrics[0];
        row->cells[1] = kg_cell_value(arena, metric, metric->baseline);
        row->cells[2] = kg_cell_value(arena, metric, metric->current);
        row->cells[3] = kg_cell_change(arena, metric);
        row->cells[4] = kg_cell_interval(arena, metric);
    } else if (isfinite(change->time_ns)) {
        row->cells[2] = kg_arena_copy(arena, kg_duration_format(change->time_ns, time));
    }
    row->cells[5] = kg_change_name(change->change);
    row->colour = change_colour(change->change);
    /* a hundred new cases have one reason: it is said once */
    const bool said = change->reason && reason_before && !strcmp(change->reason, reason_before);
    row->under = under_change(arena, how, change, said);
    if (!row->cells[0])
        table->failed = true;
}

static bool row_wanted(const struct kg_case_change *change, const struct kg_report_style *style)
{
    if (style->quiet)
        return change->fails;
    return style->verbose || change->change != KG_CHANGE_NO_CHANGE;
}

static void changes_print(const struct kg_comparison *comparison, const struct change_table *how,
                          struct kg_text *text)
{
    const struct kg_report_style *style = how->style;
    struct kg_table table = {
        .columns = 6,
        .id_most = style->id_most,
        .heads = {"case", "baseline", "current", "change", "95 % interval", "verdict"},
        .left = {true, false, false, false, false, true}};
    /* The limit is for each kind of change, so that many new cases do not hide a regression. */
    size_t shown[KG_CHANGE_COUNT] = {0}, left_out = 0;
    const char *reason_before = NULL;
    for (size_t i = 0; i < comparison->case_count; i++) {
        const struct kg_case_change *change = &comparison->cases[i];
        if (!row_wanted(change, style))
            continue;
        if (style->top && shown[change->change] == style->top) {
            left_out++;
            continue;
        }
        shown[change->change]++;
        change_row(&table, how, change, reason_before);
        reason_before = change->reason;
    }
    if (table.row_count) {
        kg_text_append(text, "\n");
        kg_table_print(&table, style->colour, text);
    }
    if (left_out)
        kg_text_printf(text, "  … and %zu more; all are in the report files\n", left_out);
    kg_table_free(&table);
}

/* The last lines that a failed case wrote to standard error. */
static void tail_print(const char *id, const char *tail, struct kg_text *text)
{
    kg_text_append(text, "\n  ");
    kg_escape_terminal(text, id, SIZE_MAX);
    kg_text_append(text, " wrote last:\n");
    for (const char *line = tail; *line;) {
        const size_t length = strcspn(line, "\n");
        struct kg_text one = {0};
        kg_text_append_bytes(&one, line, length);
        kg_text_append(text, "    | ");
        kg_escape_terminal(text, kg_text_string(&one), REASON_MOST);
        kg_text_append(text, "\n");
        kg_text_free(&one);
        line += length + (line[length] == '\n');
    }
}

/* Of the failed cases that are shown. */
static void changes_tails_print(const struct kg_comparison *comparison,
                                const struct kg_report_style *style, struct kg_text *text)
{
    size_t shown = 0;
    for (size_t i = 0; i < comparison->case_count; i++) {
        const struct kg_case_change *change = &comparison->cases[i];
        if (change->change != KG_CHANGE_FAILED || (style->top && shown++ == style->top))
            return; /* they are ranked first */
        if (change->stderr_tail)
            tail_print(change->id, change->stderr_tail, text);
    }
}

/* How many there are, and the command that shows them. */
static void suggestions_line(const struct kg_suggestions *suggestions, struct kg_text *text)
{
    struct kg_text command = {0};
    if (!suggestions || !suggestions->suggestion_count)
        return;
    kg_advice_command(suggestions, &command);
    kg_text_append(text, "\n  ");
    kg_advice_count(suggestions, text);
    kg_text_append(text, ": ");
    kg_escape_terminal(text, kg_text_string(&command), SIZE_MAX);
    kg_text_append(text, "\n");
    kg_text_free(&command);
}

void kg_report_comparison_text(const struct kg_comparison *comparison,
                               const struct kg_suggestions *suggestions,
                               const struct kg_report_style *style, struct kg_text *text)
{
    const struct change_table how = {suggestions, style};
    verdict_print(comparison, style, text);
    changes_print(comparison, &how, text);
    changes_tails_print(comparison, style, text);
    if (style->quiet)
        return;
    if (comparison->note_count)
        kg_text_append(text, "\n");
    for (size_t i = 0; i < comparison->note_count; i++) {
        kg_text_append(text, "  note: ");
        kg_escape_terminal(text, comparison->notes[i], REASON_MOST);
        kg_text_append(text, "\n");
    }
    suggestions_line(suggestions, text);
}

/* "2.71 TB/s, 91 %": with the share of what the device was measured to be capable of. */
static const char *rate_and_share(struct kg_arena *arena, double rate, const char *unit,
                                  double share)
{
    char text[KG_UNIT_BYTES];
    kg_rate_format(rate, text);
    return isfinite(share) ? kg_arena_printf(arena, "%s%s, %.0f %%", text, unit, 100 * share)
                           : kg_arena_printf(arena, "%s%s", text, unit);
}

/* The rate that says most about a case: FLOP/s, else bytes, else items. */
static const char *rate_cell(struct kg_arena *arena, const struct kg_case_work *work)
{
    char text[KG_UNIT_BYTES];
    /* a kernel with little arithmetic for its bytes is judged by its bandwidth */
    const bool compute = work->flops > 2 * (work->bytes > 0 ? work->bytes : 0);
    if (isfinite(work->flops_per_second) && compute)
        return rate_and_share(arena, work->flops_per_second, "FLOP/s",
                              isfinite(work->tensor_share) ? work->tensor_share : work->fma_share);
    if (isfinite(work->bytes_per_second))
        return rate_and_share(arena, work->bytes_per_second, "B/s", work->bandwidth_share);
    if (isfinite(work->items_per_second))
        return kg_arena_printf(arena, "%s items/s", kg_rate_format(work->items_per_second, text));
    return "";
}

/* What stands under a case's row: why it is as it is, and what its workload reports where that is
 * asked for. */
static const char *under_result(struct kg_arena *arena, const struct kg_case_result *result,
                                bool verbose)
{
    struct kg_text text = {0};
    part_append(&text, "", result->reason ? result->reason : result->note);
    if (verbose)
        part_append(&text, "; ", kg_cell_reported(arena, result));
    const char *copy = text.length ? kg_arena_copy(arena, kg_text_string(&text)) : NULL;
    kg_text_free(&text);
    return copy;
}

static void result_row(struct kg_table *table, const struct kg_case_result *result, bool verbose)
{
    struct kg_arena *arena = &table->arena;
    const struct kg_summary *summary = &result->summary;
    struct kg_table_row *row = kg_table_row_add(table);
    char text[KG_UNIT_BYTES];
    if (!row)
        return;
    row->cells[0] = escaped(arena, result->id);
    if (result->round_count) {
        const double half = (summary->interval_high_ns - summary->interval_low_ns) / 2;
        row->cells[1] = kg_arena_copy(arena, kg_duration_format(summary->median_ns, text));
        row->cells[2] = kg_arena_printf(arena, "± %.1f %%", 100 * half / summary->median_ns);
        row->cells[3] = rate_cell(arena, &result->work);
        row->cells[4] =
            kg_arena_copy(arena, kg_size_format((double)result->memory.peak_bytes, text));
        row->cells[5] = kg_arena_printf(arena, "%zu", result->round_count);
    }
    row->cells[6] = kg_status_names[result->status];
    row->colour = result->status == KG_STATUS_OK       ? GREEN
                  : result->status == KG_STATUS_FAILED ? RED
                                                       : YELLOW;
    row->under = under_result(arena, result, verbose);
    if (!row->cells[0])
        table->failed = true;
}

static void tails_print(const struct kg_results *results, struct kg_text *text)
{
    for (size_t i = 0; i < results->case_count; i++) {
        const struct kg_case_result *result = &results->cases[i];
        if (result->status == KG_STATUS_FAILED && result->stderr_tail)
            tail_print(result->id, result->stderr_tail, text);
    }
}

/* What the rates' shares are of. */
static void ceilings_print(const struct kg_ceilings *ceilings, struct kg_text *text)
{
    const struct {
        const char *what;
        double rate;
        const char *unit;
    } figures[] = {{"copies", ceilings->copy_bytes_per_s, "B/s"},
                   {"multiply-adds", ceilings->fma_flops_per_s, "FLOP/s"},
                   {"tensor cores", ceilings->tensor_flops_per_s, "FLOP/s"}};
    const char *separator = "GPU, at the most: ";
    char rate[KG_UNIT_BYTES];
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        if (!isfinite(figures[i].rate))
            continue;
        kg_text_printf(text, "%s%s %s%s", separator, figures[i].what,
                       kg_rate_format(figures[i].rate, rate), figures[i].unit);
        separator = ", ";
    }
    if (*separator == ',')
        kg_text_printf(text, "%s%s%s\n", ceilings->tensor_by ? " (" : "",
                       ceilings->tensor_by ? ceilings->tensor_by : "",
                       ceilings->tensor_by ? ")" : "");
    if (ceilings->note) {
        kg_text_append(text, "note: ");
        kg_escape_terminal(text, ceilings->note, REASON_MOST);
        kg_text_append(text, "\n");
    }
    if (ceilings->reason) {
        kg_text_append(text, "GPU, at the most: not known: ");
        kg_escape_terminal(text, ceilings->reason, REASON_MOST);
        kg_text_append(text, "\n");
    }
}

/* What disturbed the GPU meanwhile. */
static void conditions_print(const struct kg_results *results, struct kg_text *text)
{
    char words[2][KG_CONDITION_WORDS];
    const struct kg_gpu_conditions conditions = kg_gpu_conditions(results);
    kg_gpu_conditions_words(&conditions, words[0], words[1], KG_CONDITION_WORDS);
    for (int i = 0; i < 2; i++)
        if (*words[i])
            kg_text_printf(text, "note: %s\n", words[i]);
}

void kg_report_results_text(const struct kg_results *results, const struct kg_report_style *style,
                            struct kg_text *text)
{
    char measured[KG_UNIT_BYTES], elapsed[KG_UNIT_BYTES];
    struct kg_table table = {
        .columns = 7,
        .id_most = style->id_most,
        .heads = {"case", "median", "95 %", "rate", "peak memory", "rounds", "status"},
        .left = {true, false, false, false, false, false, true}};
    for (size_t i = 0; i < results->case_count; i++)
        if (!style->quiet || results->cases[i].status == KG_STATUS_FAILED)
            result_row(&table, &results->cases[i], style->verbose);
    if (table.row_count)
        kg_table_print(&table, style->colour, text);
    kg_table_free(&table);
    tails_print(results, text);
    kg_text_printf(text, "\n%zu case%s, %s measured in %s%s\n", results->case_count,
                   plural(results->case_count), kg_duration_format(results->measured_ns, measured),
                   kg_duration_format(results->elapsed_ns, elapsed),
                   results->complete ? "" : "; incomplete: the run was interrupted");
    ceilings_print(&results->ceilings, text);
    conditions_print(results, text);
    if (results->profile) {
        kg_text_append(text, "profile: ");
        kg_escape_terminal(text, results->profile, 200);
        kg_text_append(text, " (`kgate report` of it, --format tree, trace, folded, ...)\n");
    }
}
