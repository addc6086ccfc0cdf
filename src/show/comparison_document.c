/* comparison_document.c: the verdict, the changed cases with their causes, and the suite's overall change. */
#include <math.h>
#include <string.h>

#include "model/change.h"
#include "show/advice_text.h"
#include "show/cells.h"
#include "show/document.h"
#include "show/format_parts.h"
#include "show/terminal_parts.h"
#include "why/advice_index.h"

static const char REST[] = "they are in comparison.json";

/* --- Rows ------------------------------------------------------------------------------------- */

/* A row, and the number of following rows with the same reason, which the table prints once. */
struct change_row {
    const struct kg_case_change *change;
    size_t following;
    bool printed; /* a row above prints the reason */
};

/* The rows of a table. */
struct changes {
    const struct kg_comparison *comparison;
    const struct kg_report_style *style;
    struct kg_advice_index advice;
    struct kg_table *table;
    struct change_row *rows;
    size_t count;
    size_t left_out;
};

static bool is_wanted(const struct kg_case_change *change, const struct kg_report_style *style)
{
    if (style->quiet)
        return change->fails || (change->change == KG_CHANGE_SUSPECT && !change->waived);
    return style->verbose || change->change != KG_CHANGE_NO_CHANGE || change->waiver;
}

/* Whether the row shows only a reason, without figures or a waiver. */
static bool has_reason_alone(const struct kg_case_change *change)
{
    return change->reason && !change->waiver && (!change->metric_count || change->not_measured);
}

/* Neighbouring rows with one reason print it once: a hundred new cases share a reason. */
static void rows_join(struct change_row *rows, size_t count)
{
    for (size_t i = 1, first = 0; i < count; i++) {
        const struct kg_case_change *one = rows[first].change, *other = rows[i].change;
        rows[i].printed =
            has_reason_alone(one) && has_reason_alone(other) && !strcmp(one->reason, other->reason);
        if (rows[i].printed)
            rows[first].following++;
        else
            first = i;
    }
}

/* Chooses the cases of a table: on a page the changed cases or the others. The limit is for each kind of
 * change, so that many new cases do not hide a regression. */
static void rows_choose(struct changes *changes, bool changed)
{
    const struct kg_report_style *style = changes->style;
    size_t shown[KG_CHANGE_COUNT] = {0};
    changes->count = changes->left_out = 0;
    for (size_t i = 0; i < changes->comparison->case_count; i++) {
        const struct kg_case_change *change = &changes->comparison->cases[i];
        if (style->page ? kg_changes[change->change].listed != changed : !is_wanted(change, style))
            continue;
        if (style->top && shown[change->change] == style->top) {
            changes->left_out++;
            continue;
        }
        shown[change->change]++;
        changes->rows[changes->count++] = (struct change_row){.change = change};
    }
    rows_join(changes->rows, changes->count);
}

/* Adds the changes of the evidence. A regression gets a first thing to try: of the place that explains it, else of a
 * suggestion. */
static void evidence_under_add(const struct changes *changes, const struct kg_case_change *change,
                               struct kg_table_row *row)
{
    enum { EVIDENCE_MOST = 2 };
    struct kg_table *table = changes->table;
    const struct kg_evidence_change *evidence;
    const struct kg_suggestion *suggestion = change->change == KG_CHANGE_REGRESSION
                                                 ? kg_advice_first(&changes->advice, change->id)
                                                 : NULL;
    bool hinted = false;
    for (size_t i = 0;
         i < EVIDENCE_MOST && (evidence = kg_advice_change(&changes->advice, change->id, i)); i++) {
        kg_row_under(table, row, "\n", evidence->text);
        if (evidence->hint)
            kg_row_under(table, row, "\n",
                         kg_arena_printf(&table->arena, "try: %s", evidence->hint));
        hinted |= evidence->hint != NULL;
    }
    if (suggestion && !hinted)
        kg_row_under(
            table, row, "\n",
            kg_arena_printf(&table->arena, "%s: %s", suggestion->rule, suggestion->description));
}

/* Adds the reason of the change, its circumstances and its waiver. */
static void reason_under_add(const struct changes *changes, const struct change_row *shown,
                             bool named, struct kg_table_row *row)
{
    struct kg_table *table = changes->table;
    const struct kg_case_change *change = shown->change;
    const char *circumstances = kg_cell_circumstances(&table->arena, change);
    const char *reason = shown->printed ? NULL : change->reason;
    const char *separator = row->under ? "\n" : NULL; /* behind the evidence */
    const char *words[] = {named ? circumstances : reason, named ? reason : circumstances,
                           change->waiver};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i] && *words[i]) {
            kg_row_under(table, row, separator ? separator : "; ", words[i]);
            separator = NULL;
        }
    if (shown->following == 1)
        kg_row_under(table, row, " ", "(the next case too)");
    else if (shown->following)
        kg_row_under(table, row, " ",
                     kg_arena_printf(&table->arena, "(the next %zu cases too)", shown->following));
    if (changes->style->verbose)
        kg_row_under(table, row, "; ",
                     kg_cell_figures(&table->arena, change->figures, change->figure_count));
}

/* Adds reason and evidence. The cause of another time comes first. If another metric decided, its name comes first,
 * with which the circumstances begin. */
static void under_add(const struct changes *changes, const struct change_row *shown,
                      struct kg_table_row *row)
{
    const struct kg_case_change *change = shown->change;
    const bool named =
        change->metric_count && *kg_cell_metric(&changes->table->arena, &change->metrics[0]);
    const bool cause_first = !named && (change->change == KG_CHANGE_REGRESSION ||
                                        change->change == KG_CHANGE_IMPROVEMENT);
    if (cause_first)
        evidence_under_add(changes, change, row);
    reason_under_add(changes, shown, named, row);
    if (!cause_first)
        evidence_under_add(changes, change, row);
}

/* The time of this run in ns. If paired rounds decided: the candidate's time in the pairs. */
static double time_now(const struct kg_case_change *change)
{
    for (size_t m = 0; m < change->metric_count; m++) {
        const struct kg_metric *metric = &change->metrics[m];
        if (!strcmp(metric->name, "time") && kg_metric_against(metric) == KG_AGAINST_BASE)
            return metric->current;
    }
    return change->time_ns;
}

/* The values of a metric of the case in the stored runs; NULL if they are unknown. */
static const double *past_of(const struct kg_case_change *change, const char *name, size_t *count)
{
    if (!strcmp(name, "time")) {
        *count = change->history_count;
        return change->history;
    }
    for (size_t m = 0; m < change->metric_count;
         m++) { /* a metric against a pin has no history; its ordinary metric has */
        const struct kg_metric *metric = &change->metrics[m];
        if (!metric->history_count || strcmp(metric->name, name) != 0)
            continue;
        *count = metric->history_count;
        return metric->history;
    }
    *count = 0;
    return NULL;
}

/* Appends one block per value, from "▁" for the smallest to "█" for the largest. If the range is below `share` of the
 * smallest value, the blocks stay below the top, so that noise does not look like a change.
 * values  finite, at least 0 */
static void sparkline(struct kg_text *text, const double *values, size_t count, double share)
{
    static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    enum { HIGHEST = sizeof blocks / sizeof *blocks - 1 };
    double least = INFINITY, greatest = 0;
    for (size_t i = 0; i < count; i++) {
        least = fmin(least, values[i]);
        greatest = fmax(greatest, values[i]);
    }
    const double range = fmax(greatest - least, share > 0 ? share * least : 0);
    for (size_t i = 0; i < count; i++) {
        const double at = range > 0 ? (values[i] - least) / range : 0;
        kg_text_append(text, blocks[(size_t)lround(HIGHEST * fmin(1, fmax(0, at)))]);
    }
}

/* The row's metric in the stored runs and in this run, as a line of blocks. */
static const char *runs_cell(struct kg_arena *arena, const struct kg_case_change *change)
{
    enum { RUNS_MOST = 33, PAST_LEAST = 2 }; /* at least three points make a useful line */
    double values[RUNS_MOST];
    size_t count = 0, past_count;
    struct kg_text text = {0};
    if (!change->metric_count)
        return "";
    const struct kg_metric *metric = &change->metrics[0];
    const double now = !strcmp(metric->name, "time") ? time_now(change) : metric->current;
    const double *past = past_of(change, metric->name, &past_count);
    if (past_count < PAST_LEAST || !(now > 0))
        return "";
    for (size_t i = past_count >= RUNS_MOST ? past_count - RUNS_MOST + 1 : 0; i < past_count; i++)
        values[count++] = past[i];
    values[count++] = now;
    sparkline(&text, values, count, 2 * metric->threshold);
    const char *runs = kg_arena_copy(arena, kg_text_string(&text));
    kg_text_free(&text);
    return runs;
}

enum { COLUMN_THRESHOLD = 5, COLUMN_RUNS, COLUMN_VERDICT }; /* threshold and runs: only on a page */

static void change_row(const struct changes *changes, const struct change_row *shown)
{
    const struct kg_case_change *change = shown->change;
    struct kg_arena *arena = &changes->table->arena;
    struct kg_table_row *row = kg_table_row_add(changes->table);
    row->cells[0] = change->id;
    if (change->metric_count && change->change != KG_CHANGE_NEW) {
        const struct kg_metric *metric = &change->metrics[0];
        row->cells[1] = kg_cell_reference(arena, metric);
        row->cells[2] = kg_cell_value(arena, metric, metric->current);
        row->cells[3] = kg_cell_change_factor(arena, metric);
        row->cells[4] = kg_cell_interval(arena, metric);
        row->cells[COLUMN_THRESHOLD] = kg_cell_threshold(arena, metric);
    } else {
        row->cells[1] = kg_cell_time(arena, change->baseline_time_ns);
        row->cells[2] = kg_cell_time(arena, change->time_ns);
    }
    if (changes->style->page)
        row->cells[COLUMN_RUNS] = runs_cell(arena, change);
    row->cells[COLUMN_VERDICT] =
        kg_arena_printf(arena, "%s%s", kg_cell_verdict(arena, change),
                        changes->style->page && change->not_measured ? ", not measured" : "");
    row->mark = change->waived ? "☑️" : kg_changes[change->change].symbol;
    row->colour =
        change->waived ? KG_TERMINAL_DOUBT : kg_tone_colours[kg_changes[change->change].tone];
    under_add(changes, shown, row);
}

static void changes_add(struct kg_document *document, struct changes *changes, bool changed)
{
    static const struct kg_table form = {
        .columns = COLUMN_VERDICT + 1,
        .heads = {"case", "baseline", "candidate", "change", "95 % interval", "threshold", "runs",
                  "verdict"},
        .left = {true, [COLUMN_RUNS] = true, [COLUMN_VERDICT] = true},
        .spare = {0, KG_TABLE_NEEDED, KG_TABLE_NEEDED + 1, 0, 1}};
    const char *estimator = kg_cell_estimator(changes->comparison);
    rows_choose(changes, changed);
    if (changes->count) {
        kg_part_gap(document);
        changes->table = kg_part_table(document, &form);
        for (size_t i = 0; i < changes->count; i++)
            change_row(changes, &changes->rows[i]);
        if (!changes->style->page)
            kg_table_columns_keep(changes->table, ~(1UL << COLUMN_THRESHOLD | 1UL << COLUMN_RUNS));
    }
    if (changes->count && !changes->style->quiet && *estimator) {
        kg_part_prose(document, KG_PART_SMALL, NULL,
                      changes->style->page ? estimator
                                           : kg_arena_printf(&document->arena, "(%s)", estimator));
    }
    kg_part_rest(document, changes->left_out);
}

/* --- Below the table -------------------------------------------------------------------------- */

/* Adds the last output of the failed cases in the table. */
static void tails_add(struct kg_document *document, const struct kg_comparison *comparison)
{
    const size_t top = document->style.top;
    for (size_t i = 0; i < comparison->case_count; i++) {
        const struct kg_case_change *change = &comparison->cases[i];
        if (change->change != KG_CHANGE_FAILED || (top && i == top))
            return; /* failed cases are ranked first */
        kg_part_tail(document, change->id, change->stderr_tail);
    }
}

/* Adds the changed source of the worst cases. */
static void sources_add(struct kg_document *document, const struct kg_suggestions *suggestions)
{
    enum { SOURCES_MOST = 3 };
    size_t shown = 0;
    for (size_t i = 0; suggestions && i < suggestions->change_count && shown < SOURCES_MOST; i++) {
        if (!suggestions->changes[i].diff)
            continue;
        if (!shown++)
            kg_part_gap(document);
        kg_advice_source_add(document, &suggestions->changes[i], true);
    }
}

/* Adds the overall change of the suite. A verbose report adds the change of each workload. */
static void overall_add(struct kg_document *document, const struct kg_comparison *comparison)
{
    const bool each = document->style.verbose && comparison->overall_count > 2;
    if (!comparison->overall_count ||
        (comparison->overall[0].cases < 2 && !comparison->overall[0].of_program))
        return;
    kg_part_gap(document);
    for (size_t i = 0; i < (each ? comparison->overall_count : 1); i++) {
        const struct kg_overall *overall = &comparison->overall[i];
        struct kg_text words = {0};
        if (i == 1) {
            kg_part_text(document, KG_PART_FOLD, NULL, "by workload");
        }
        kg_part_add(document, i ? KG_PART_ITEM : KG_PART_SENTENCE, i ? NULL : "overall");
        if (i) {
            kg_span_add(document, KG_SPAN_NAME, overall->workload ? overall->workload : "");
            kg_span_text(document, ": ");
        }
        kg_cell_overall(overall, &words);
        kg_span_take(document, &words);
    }
    if (each)
        kg_part_add(document, KG_PART_FOLD_END, NULL);
}

/* Adds the suggestions. On a page: the first few, folded. Else: their number, and the command that prints them. If the
 * files were removed, no such command exists. */
static void suggestions_add(struct kg_document *document, const struct kg_suggestions *suggestions)
{
    enum { MOST = 10 };
    struct kg_text count = {0}, command = {0};
    if (!suggestions || !suggestions->suggestion_count)
        return;
    kg_advice_count(suggestions, &count);
    kg_part_gap(document);
    kg_part_add(document, document->style.page ? KG_PART_FOLD : KG_PART_SENTENCE, NULL);
    kg_span_take(document, &count);
    if (document->style.page) {
        kg_advice_add(document, suggestions, MOST);
        kg_part_prose(document, KG_PART_SENTENCE, NULL,
                      "All of them: `kgate suggest` of the results; one case in full: "
                      "`kgate explain`.");
        kg_part_add(document, KG_PART_FOLD_END, NULL);
    } else if (suggestions->discarded) {
        kg_span_text(document, ": with -o DIR the files are kept, for `kgate suggest`");
    } else {
        kg_advice_command(suggestions, &command);
        kg_span_text(document, ":");
        kg_span_add(document, KG_SPAN_COMMAND, kg_cell_take(&document->arena, &command));
    }
}

static void notes_add(struct kg_document *document, const struct kg_comparison *comparison)
{
    for (size_t i = 0; i < comparison->note_count; i++)
        kg_part_prose(document, KG_PART_ITEM, "note", comparison->notes[i]);
}

/* --- The document ----------------------------------------------------------------------------- */

/* Adds the parts that a page prints below the changed cases. The other cases are folded: they matter less than the
 * reasons of a change. */
static void folds_add(struct kg_document *document, struct changes *changes,
                      const struct kg_suggestions *suggestions)
{
    const struct kg_comparison *comparison = changes->comparison;
    const size_t others = comparison->case_count - changes->count - changes->left_out;
    overall_add(document, comparison);
    suggestions_add(document, suggestions);
    if (others) {
        kg_part_text(document, KG_PART_FOLD, NULL, "%zu other case%s", others,
                     others == 1 ? "" : "s");
        changes_add(document, changes, false);
        kg_part_add(document, KG_PART_FOLD_END, NULL);
    }
    if (!kg_nodes_troubled(comparison))
        kg_nodes_add(document, comparison);
    kg_policy_add(document, comparison);
}

static void ending_add(struct kg_document *document, const struct kg_comparison *comparison,
                       const struct kg_suggestions *suggestions)
{
    overall_add(document, comparison);
    if (document->style.verbose && !kg_nodes_troubled(comparison))
        kg_nodes_add(document, comparison);
    if (comparison->note_count)
        kg_part_gap(document);
    notes_add(document, comparison);
    suggestions_add(document, suggestions);
}

bool kg_report_comparison_advised(const struct kg_comparison *comparison,
                                  const struct kg_report_style *style)
{
    bool advised = !style->quiet;
    for (size_t i = 0; i < comparison->case_count && !advised; i++)
        advised = is_wanted(&comparison->cases[i], style);
    return advised;
}

void kg_comparison_document(const struct kg_report_subject *subject, struct kg_document *document)
{
    const struct kg_comparison *comparison = subject->comparison;
    struct changes changes = {.comparison = comparison, .style = &document->style};
    document->rest = REST;
    kg_advice_index_make(&document->arena, subject->suggestions, &changes.advice);
    changes.rows = kg_arena_alloc(&document->arena, comparison->case_count, sizeof *changes.rows);
    kg_verdict_add(document, comparison);
    changes_add(document, &changes, true);
    tails_add(document, comparison);
    if (!document->style.quiet) {
        sources_add(document, subject->suggestions);
        kg_commands_add(document, comparison);
        if (kg_nodes_troubled(comparison))
            kg_nodes_add(document, comparison);
    }
    if (document->style.page)
        folds_add(document, &changes, subject->suggestions);
    else if (!document->style.quiet)
        ending_add(document, comparison, subject->suggestions);
}
