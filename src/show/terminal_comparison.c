/* What was decided, for a terminal. */
#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "base/table.h"
#include "base/units.h"
#include "base/wrap.h"
#include "show/advice_text.h"
#include "show/cells.h"
#include "show/report.h"
#include "show/terminal_parts.h"
#include "why/advice_index.h"

enum { NAME_MOST = 100, ADVICE_MOST = 200, NEXT_MOST = 1000 };

static const char *change_colour(enum kg_change change)
{
    switch (change) {
    case KG_CHANGE_FAILED:
    case KG_CHANGE_REGRESSION:
        return KG_TERMINAL_BAD;
    case KG_CHANGE_IMPROVEMENT:
        return KG_TERMINAL_GOOD;
    case KG_CHANGE_NO_CHANGE:
        return KG_TERMINAL_DIM;
    default:
        return KG_TERMINAL_DOUBT;
    }
}

/* Which versions were compared. */
static void commits_print(const struct kg_comparison *comparison,
                          const struct kg_report_style *style, struct kg_text *text)
{
    struct kg_text words = {0};
    kg_cell_commits(comparison, &words);
    if (words.length && !style->quiet)
        kg_terminal_sentence(text, "  ", kg_text_string(&words), KG_TERMINAL_REASON_MOST,
                             style->width);
    text->failed = text->failed || words.failed;
    kg_text_free(&words);
}

/* By what it was judged, and what the change edited of that. */
static void trust_print(const struct kg_comparison *comparison, size_t width, struct kg_text *text)
{
    enum { MOST = 20 };
    if (!comparison->trust)
        return;
    kg_terminal_sentence(text, "  suite and thresholds: ", comparison->trust,
                         KG_TERMINAL_REASON_MOST, width);
    for (size_t i = 0; i < comparison->edit_count && i < MOST; i++)
        kg_terminal_sentence(text, "  this change edits ", comparison->edits[i],
                             KG_TERMINAL_REASON_MOST, width);
    if (comparison->edit_count > MOST)
        kg_text_printf(text, "  … and %zu more: they are in comparison.json\n",
                       comparison->edit_count - MOST);
}

static void verdict_print(const struct kg_comparison *comparison,
                          const struct kg_report_style *style, struct kg_text *text)
{
    static const char *const colours[] = {[KG_VERDICT_PASS] = KG_TERMINAL_GOOD,
                                          [KG_VERDICT_FAIL] = KG_TERMINAL_BAD,
                                          [KG_VERDICT_UNDECIDED] = KG_TERMINAL_DOUBT};
    struct kg_text counts = {0};
    const size_t begun = strlen(kg_verdict_names[comparison->verdict]) + 2;
    kg_text_printf(text, "%s%s%s%s  ", style->colour ? KG_TERMINAL_BOLD : "",
                   style->colour ? colours[comparison->verdict] : "",
                   kg_verdict_names[comparison->verdict], style->colour ? KG_TERMINAL_PLAIN : "");
    kg_escape_terminal(&counts, comparison->suite, NAME_MOST);
    kg_text_append(&counts, ", ");
    kg_cell_counts(comparison, &counts);
    kg_wrap_on(text, begun, begun, kg_text_string(&counts), style->width);
    text->failed = text->failed || counts.failed;
    kg_text_free(&counts);
    for (size_t i = 0; i < comparison->verdict_reason_count; i++) {
        kg_terminal_sentence(text, "  ", comparison->verdict_reasons[i], KG_TERMINAL_REASON_MOST,
                             style->width);
    }
    commits_print(comparison, style, text);
    trust_print(comparison, style->width, text);
    if (comparison->next) {
        kg_text_append(text, "  next: ");
        kg_escape_terminal(text, comparison->next, NEXT_MOST);
        kg_text_append(text, "\n");
    }
}

/* What rows are made with. */
struct change_table {
    struct kg_advice_index advice;
    const struct kg_report_style *style;
};

/* A row, and how many of those that follow it have the same reason, which is said once for all. */
struct change_row {
    const struct kg_case_change *change;
    size_t following;
    bool said; /* by a row above */
};

/* What stands under a row: its circumstances and its reason, and what its workload reports where
 * that is asked for. */
static void under_row(const struct change_row *row, struct kg_arena *arena, bool verbose,
                      struct kg_text *text)
{
    const struct kg_case_change *change = row->change;
    kg_terminal_part(text, "", kg_cell_circumstances(arena, change));
    if (!row->said)
        kg_terminal_part(text, "; ", change->reason);
    kg_terminal_part(text, "; ", change->waiver);
    if (row->following == 1)
        kg_text_append(text, " (the next case too)");
    else if (row->following)
        kg_text_printf(text, " (the next %zu cases too)", row->following);
    if (verbose)
        kg_terminal_part(text, "; ", kg_cell_figures(arena, change->figures, change->figure_count));
}

/* What changed in its evidence and, of a regression, what to try, a line each. */
static void advice_append(const struct kg_advice_index *advice, const struct kg_case_change *change,
                          struct kg_text *text)
{
    const struct kg_evidence_change *evidence = kg_advice_change(advice, change->id, 0);
    const struct kg_suggestion *suggestion =
        change->change == KG_CHANGE_REGRESSION ? kg_advice_first(advice, change->id) : NULL;
    if (evidence)
        kg_terminal_part(text, "\n", evidence->text);
    if (suggestion) {
        kg_terminal_part(text, "\n", suggestion->rule);
        kg_text_append(text, ": ");
        kg_escape_terminal(text, suggestion->description, ADVICE_MOST);
    }
}

/* What stands under a row, with the advice. */
static const char *under_change(struct kg_arena *arena, const struct change_table *how,
                                const struct change_row *row)
{
    struct kg_text text = {0};
    under_row(row, arena, how->style->verbose, &text);
    advice_append(&how->advice, row->change, &text);
    const char *under =
        text.length ? kg_terminal_under(arena, kg_arena_copy(arena, text.data), how->style->width)
                    : NULL;
    kg_text_free(&text);
    return under;
}

/* Whether the reason is all that there is to say: no figures stand beside it. */
static bool has_reason_alone(const struct kg_case_change *change)
{
    return change->reason && !change->waiver && (!change->metric_count || change->not_measured);
}

static void change_row(struct kg_table *table, const struct change_table *how,
                       const struct change_row *shown)
{
    const struct kg_case_change *change = shown->change;
    struct kg_arena *arena = &table->arena;
    struct kg_table_row *row = kg_table_row_add(table);
    char time[KG_UNIT_BYTES];
    if (!row)
        return;
    row->cells[0] = kg_terminal_escaped(arena, change->id);
    if (change->metric_count && change->change != KG_CHANGE_NEW) {
        const struct kg_metric *metric = &change->metrics[0];
        row->cells[1] = kg_cell_reference(arena, metric);
        row->cells[2] = kg_cell_value(arena, metric, metric->current);
        row->cells[3] = kg_cell_change(arena, metric);
        row->cells[4] = kg_cell_interval(arena, metric);
    } else if (isfinite(change->time_ns)) {
        row->cells[2] = kg_arena_copy(arena, kg_duration_format(change->time_ns, time));
    }
    row->cells[5] = kg_cell_verdict(arena, change);
    row->colour = change->waived ? KG_TERMINAL_DOUBT : change_colour(change->change);
    row->under = under_change(arena, how, shown);
    if (!row->cells[0])
        table->failed = true;
}

static bool row_wanted(const struct kg_case_change *change, const struct kg_report_style *style)
{
    if (style->quiet)
        return change->fails || (change->change == KG_CHANGE_SUSPECT && !change->waived);
    return style->verbose || change->change != KG_CHANGE_NO_CHANGE || change->waiver;
}

/* The rows, into an array for all of the cases; how many are left out. The limit is for each kind
 * of change, so that many new cases do not hide a regression. */
static size_t rows_choose(const struct kg_comparison *comparison,
                          const struct kg_report_style *style, struct change_row *rows,
                          size_t *count)
{
    size_t shown[KG_CHANGE_COUNT] = {0}, left_out = 0;
    for (size_t i = 0; i < comparison->case_count; i++) {
        const struct kg_case_change *change = &comparison->cases[i];
        if (!row_wanted(change, style))
            continue;
        if (style->top && shown[change->change] == style->top) {
            left_out++;
            continue;
        }
        shown[change->change]++;
        rows[(*count)++] = (struct change_row){.change = change};
    }
    return left_out;
}

/* A hundred new cases have one reason: it is said once. */
static void rows_join(struct change_row *rows, size_t count)
{
    for (size_t i = 1, first = 0; i < count; i++) {
        const struct kg_case_change *one = rows[first].change, *other = rows[i].change;
        rows[i].said =
            has_reason_alone(one) && has_reason_alone(other) && !strcmp(one->reason, other->reason);
        if (rows[i].said)
            rows[first].following++;
        else
            first = i;
    }
}

/* Which times the table has. */
static void estimator_print(const struct kg_comparison *comparison,
                            const struct kg_report_style *style, struct kg_text *text)
{
    struct kg_text words = {0};
    kg_text_printf(&words, "(%s)", kg_cell_estimator(comparison));
    kg_wrap(text, "  ", kg_text_string(&words), style->width);
    text->failed = text->failed || words.failed;
    kg_text_free(&words);
}

static void changes_print(const struct kg_comparison *comparison, const struct change_table *how,
                          struct kg_text *text)
{
    const struct kg_report_style *style = how->style;
    struct kg_table table = {
        .columns = 6,
        .indent = 2,
        .id_most = style->id_most,
        .width = style->width,
        .heads = {"case", "baseline", "current", "change", "95 % interval", "verdict"},
        .left = {true, false, false, false, false, true},
        .spare = {0, KG_TABLE_NEEDED, KG_TABLE_NEEDED + 1, 0, 1, 0}};
    size_t count = 0, left_out = 0;
    struct change_row *rows = kg_arena_alloc(&table.arena, comparison->case_count, sizeof *rows);
    if (rows)
        left_out = rows_choose(comparison, style, rows, &count);
    else
        text->failed = true;
    rows_join(rows, count);
    for (size_t i = 0; i < count; i++)
        change_row(&table, how, &rows[i]);
    if (table.row_count) {
        kg_text_append(text, "\n");
        kg_table_print(&table, style->colour, text);
        if (!style->quiet && *kg_cell_estimator(comparison))
            estimator_print(comparison, style, text);
    }
    if (left_out)
        kg_text_printf(text, "  … and %zu more; all are in the report files\n", left_out);
    kg_table_free(&table);
}

/* How the cases changed together: the suite, and where all is asked for each workload. */
static void overall_print(const struct kg_comparison *comparison,
                          const struct kg_report_style *style, struct kg_text *text)
{
    const size_t shown = style->verbose && comparison->overall_count > 2 ? comparison->overall_count
                         : comparison->overall_count && comparison->overall[0].cases > 1 ? 1
                                                                                         : 0;
    kg_text_append(text, shown ? "\n" : "");
    for (size_t i = 0; i < shown; i++) {
        struct kg_text first = {0}, words = {0};
        kg_text_append(&first, "  ");
        kg_escape_terminal(&first, i ? comparison->overall[i].workload : "overall", NAME_MOST);
        kg_text_append(&first, ": ");
        kg_cell_overall(&comparison->overall[i], &words);
        kg_wrap(text, kg_text_string(&first), kg_text_string(&words), style->width);
        text->failed = text->failed || first.failed || words.failed;
        kg_text_free(&first);
        kg_text_free(&words);
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
            kg_terminal_tail(change->id, change->stderr_tail, text);
    }
}

/* How many there are, and the command that shows them: whole, to be copied. There is none for files that are removed. */
static void suggestions_line(const struct kg_suggestions *suggestions, size_t width,
                             struct kg_text *text)
{
    struct kg_text count = {0}, command = {0}, shown = {0};
    if (!suggestions || !suggestions->suggestion_count)
        return;
    kg_advice_count(suggestions, &count);
    if (suggestions->discarded)
        kg_text_append(&command, "with -o DIR the files are kept, for `kgate suggest`");
    else
        kg_advice_command(suggestions, &command);
    kg_escape_terminal(&shown, kg_text_string(&command), SIZE_MAX);
    const size_t line =
        4 + kg_text_width(kg_text_string(&count)) + kg_text_width(kg_text_string(&shown));
    kg_text_printf(text, "\n  %s:%s%s\n", kg_text_string(&count),
                   width && line > width ? "\n    " : " ", kg_text_string(&shown));
    text->failed = text->failed || count.failed || command.failed || shown.failed;
    kg_text_free(&count);
    kg_text_free(&command);
    kg_text_free(&shown);
}

bool kg_report_comparison_advised(const struct kg_comparison *comparison,
                                  const struct kg_report_style *style)
{
    bool advised = !style->quiet;
    for (size_t i = 0; i < comparison->case_count && !advised; i++)
        advised = row_wanted(&comparison->cases[i], style);
    return advised;
}

void kg_report_comparison_text(const struct kg_comparison *comparison,
                               const struct kg_suggestions *suggestions,
                               const struct kg_report_style *style, struct kg_text *text)
{
    struct kg_arena arena = {0};
    struct change_table how = {.style = style};
    if (!kg_advice_index_make(&arena, suggestions, &how.advice))
        text->failed = true;
    verdict_print(comparison, style, text);
    changes_print(comparison, &how, text);
    kg_arena_free(&arena);
    changes_tails_print(comparison, style, text);
    if (style->quiet)
        return;
    overall_print(comparison, style, text);
    if (comparison->note_count)
        kg_text_append(text, "\n");
    for (size_t i = 0; i < comparison->note_count; i++) {
        kg_terminal_sentence(text, "  note: ", comparison->notes[i], KG_TERMINAL_REASON_MOST,
                             style->width);
    }
    suggestions_line(suggestions, style->width, text);
}
