/* history_document.c: runs, series, changes or audits of a history. */
#include <string.h>

#include "base/escape.h"
#include "base/units.h"
#include "judge/history/history_audit.h"
#include "show/cells.h"
#include "show/document.h"
#include "show/format_parts.h"

enum { COMMIT_SHOWN = 12, BRANCH_SHOWN = 24, NAME_SHOWN = 32, ROWS_USUAL = 20 };

/* The text as a cell, cut to `most` characters; "-" if it is unknown. */
static const char *cell(struct kg_table *table, const char *shown, size_t most)
{
    struct kg_text text = {0};
    if (shown && *shown)
        kg_text_append_beginning(&text, shown, most);
    else
        kg_text_append(&text, "-");
    return kg_table_cell(table, &text);
}

static const char *commit_cell(struct kg_table *table, const struct kg_history_run *run)
{
    struct kg_text text = {0};
    if (run->commit)
        kg_text_append_beginning(&text, run->commit, COMMIT_SHOWN);
    else
        kg_text_append(&text, "-");
    if (run->dirty)
        kg_text_append(&text, "+");
    return kg_table_cell(table, &text);
}

static struct kg_table *table_add(struct kg_document *document, const struct kg_table *form,
                                  size_t indent)
{
    struct kg_table *table = kg_part_table(document, form);
    table->indent = indent;
    return table;
}

/* --- Runs ------------------------------------------------------------------------------------- */

static void runs_add(const struct kg_history *history, struct kg_document *document)
{
    static const struct kg_table form = {
        .columns = 8,
        .heads = {"started", "suite", "kind", "commit", "branch", "host", "machine", "points"},
        .left = {true, true, true, true, true, true, true},
        .spare = {0, 0, 4, 0, 2, 3, 1}};
    struct kg_table *table = table_add(document, &form, 0);
    for (size_t i = 0; i < history->run_count; i++) {
        const struct kg_history_run *run = &history->runs[i];
        struct kg_table_row *row = kg_table_row_add(table);
        const char *const cells[] = {cell(table, run->started, NAME_SHOWN),
                                     cell(table, run->suite, NAME_SHOWN),
                                     kg_history_kind_names[run->kind],
                                     commit_cell(table, run),
                                     cell(table, run->branch, BRANCH_SHOWN),
                                     cell(table, run->host, NAME_SHOWN),
                                     cell(table, run->machine, NAME_SHOWN),
                                     kg_arena_printf(&table->arena, "%zu", run->points)};
        memcpy(row->cells, cells, sizeof cells);
    }
}

/* --- Series ----------------------------------------------------------------------------------- */

/* Appends ", WORD" or the first word. */
static void word_add(struct kg_text *words, const char *word)
{
    kg_text_printf(words, "%s%s", words->length ? ", " : "", word);
}

static bool differs(const char *a, const char *b)
{
    return a && b && strcmp(a, b) != 0;
}

/* Adds the changes whose range ends with the point. */
static void changes_name(const struct kg_history *history, const struct kg_history_series *series,
                         size_t point, struct kg_text *words)
{
    char formatted[KG_UNIT_BYTES];
    for (size_t i = 0; i < series->mark_count; i++) {
        const struct kg_history_change *change = &history->changes[series->marks[i].change];
        if (series->marks[i].after == point)
            kg_text_printf(words, "%s%s %s (%s, cause %s)", words->length ? ", " : "", change->kind,
                           kg_change_format(change->ratio, formatted), change->state,
                           change->cause);
    }
}

/* Changes, differences from the run before, and remarks. */
static const char *remarks(struct kg_table *table, const struct kg_history *history,
                           const struct kg_history_series *series, size_t index)
{
    const struct kg_history_point *point = &series->points[index];
    const struct kg_history_point *before = index ? point - 1 : NULL;
    const struct kg_history_run *run = &history->runs[point->run];
    const struct kg_history_run *last = before ? &history->runs[before->run] : NULL;
    struct kg_text words = {0};
    changes_name(history, series, index, &words);
    if (history->here && run->commit && !strcmp(run->commit, history->here))
        word_add(&words, "this checkout");
    if (run->kind != KG_HISTORY_COMMIT)
        word_add(&words, kg_history_kind_names[run->kind]);
    if (before && differs(before->code, point->code))
        word_add(&words, "code changed");
    if (last && differs(last->epoch, run->epoch))
        word_add(&words, "machine updated");
    if (point->flags & 1u << KG_HISTORY_INCOMPLETE)
        word_add(&words, "interrupted");
    if (point->flags & 1u << KG_HISTORY_NOTED)
        word_add(&words, "doubtful");
    if (point->flags & 1u << KG_HISTORY_THROTTLED)
        word_add(&words, "throttled");
    return kg_table_cell(table, &words);
}

static const char *error_cell(struct kg_table *table, const struct kg_history_point *point)
{
    struct kg_text text = {0};
    if (point->error >= 0 && point->value > 0)
        kg_text_printf(&text, "± %.1f %%", 100 * point->error / point->value);
    return kg_table_cell(table, &text);
}

static const char *change_cell(struct kg_table *table, const struct kg_history_point *point,
                               const struct kg_history_point *before)
{
    char change[KG_UNIT_BYTES];
    struct kg_text text = {0};
    if (before && before->value > 0)
        kg_text_append(&text, kg_change_format(point->value / before->value, change));
    return kg_table_cell(table, &text);
}

static void series_head(const struct kg_history_series *series, struct kg_document *document)
{
    kg_part_add(document, KG_PART_SENTENCE, NULL);
    kg_span_add(document, KG_SPAN_NAME, series->id_of_case);
    kg_span_text(document, "  ");
    kg_span_add(document, KG_SPAN_NAME, series->metric);
    kg_span_text(document, "  on ");
    kg_span_add(document, KG_SPAN_NAME, series->machine);
    if (series->host) {
        kg_span_text(document, ", host ");
        kg_span_add(document, KG_SPAN_NAME, series->host);
    }
    kg_span_text(document, "%s, %zu run%s", series->control ? ", control" : "", series->point_count,
                 series->point_count == 1 ? "" : "s");
}

static void point_row(struct kg_table *table, const struct kg_history *history,
                      const struct kg_history_series *series, size_t index)
{
    const struct kg_history_point *point = &series->points[index];
    const struct kg_history_point *before = index ? point - 1 : NULL;
    const struct kg_history_run *run = &history->runs[point->run];
    struct kg_table_row *row = kg_table_row_add(table);
    char formatted[KG_UNIT_BYTES];
    const char *value = kg_value_format(series->unit ? series->unit : "", point->value, formatted);
    const char *const cells[] = {
        cell(table, run->started, NAME_SHOWN), commit_cell(table, run),
        kg_arena_copy(&table->arena, value),   error_cell(table, point),
        change_cell(table, point, before),     remarks(table, history, series, index)};
    memcpy(row->cells, cells, sizeof cells);
}

static void series_add(const struct kg_history *history, const struct kg_history_series *series,
                       size_t most, struct kg_document *document)
{
    static const struct kg_table form = {
        .columns = 6,
        .trimmed = true,
        .heads = {"started", "commit", "value", "error", "change", "remarks"},
        .left = {true, true, false, false, false, true}};
    const size_t first = most && series->point_count > most ? series->point_count - most : 0;
    series_head(series, document);
    struct kg_table *table = table_add(document, &form, 2);
    for (size_t i = first; i < series->point_count; i++)
        point_row(table, history, series, i);
    if (first) {
        kg_part_text(document, KG_PART_SMALL, NULL, "%zu earlier run%s: --top 0 or --json", first,
                     first == 1 ? "" : "s");
        document->parts[document->count - 1].indent = 2;
    }
}

static void trends_add(const struct kg_history *history, size_t most, struct kg_document *document)
{
    for (size_t i = 0; i < history->series_count; i++) {
        if (i)
            kg_part_gap(document);
        series_add(history, &history->series[i], most, document);
    }
}

/* --- Changes ---------------------------------------------------------------------------------- */

static const char *interval_cell(struct kg_table *table, const struct kg_history_change *change)
{
    char low[KG_UNIT_BYTES], high[KG_UNIT_BYTES];
    struct kg_text text = {0};
    if (change->low > 0 && change->high > 0)
        kg_text_printf(&text, "%s to %s", kg_change_format(change->low, low),
                       kg_change_format(change->high, high));
    return kg_table_cell(table, &text);
}

/* The culprit, or "BEFORE..AFTER" as git takes it. */
static const char *commits_cell(struct kg_table *table, const struct kg_history_change *change)
{
    struct kg_text text = {0};
    if (change->culprit)
        return cell(table, change->culprit, COMMIT_SHOWN);
    if (!change->commit_before || !change->commit_after)
        return cell(table, change->commit_after, COMMIT_SHOWN);
    kg_text_append_beginning(&text, change->commit_before, COMMIT_SHOWN);
    kg_text_append(&text, "..");
    kg_text_append_beginning(&text, change->commit_after, COMMIT_SHOWN);
    return kg_table_cell(table, &text);
}

/* The proof stands below the table of a page. */
static void change_row(struct kg_table *table, const struct kg_history_change *change, bool page)
{
    struct kg_table_row *row = kg_table_row_add(table);
    char formatted[KG_UNIT_BYTES];
    const char *const cells[] = {
        cell(table, change->id_of_case, SIZE_MAX),
        cell(table, change->metric, NAME_SHOWN),
        cell(table, change->host ? change->host : change->machine, COMMIT_SHOWN),
        cell(table, change->kind, NAME_SHOWN),
        kg_arena_copy(&table->arena, kg_change_format(change->ratio, formatted)),
        interval_cell(table, change),
        cell(table, change->cause, NAME_SHOWN),
        cell(table, change->state, NAME_SHOWN),
        commits_cell(table, change),
        cell(table, change->found, NAME_SHOWN)};
    memcpy(row->cells, cells, sizeof cells);
    if (page)
        kg_row_under(table, row, "\n", change->proof);
}

static void changes_add(const struct kg_history *history, struct kg_document *document)
{
    static const struct kg_table form = {
        .columns = 10,
        .trimmed = true,
        .heads = {"case", "metric", "host", "kind", "change", "95 % interval", "cause", "state",
                  "commits", "found"},
        .left = {true, true, true, true, false, true, true, true, true, true},
        .spare = {0, 3, 5, 4, 0, 2, 0, 0, 0, 1}};
    if (document->style.page)
        kg_part_text(document, KG_PART_HEADLINE, "kgate history", "%zu change%s, the newest first",
                     history->change_count, history->change_count == 1 ? "" : "s");
    struct kg_table *table = table_add(document, &form, 0);
    for (size_t i = 0; i < history->change_count; i++)
        change_row(table, &history->changes[i], document->style.page);
}

static void nodes_add(const struct kg_history *history, struct kg_document *document)
{
    static const struct kg_table form = {
        .columns = 6,
        .trimmed = true,
        .heads = {"suspect node", "suite", "change", "beyond others", "deviation", "started"},
        .left = {true, true, false, false, false, true}};
    if (!history->node_count)
        return;
    kg_part_gap(document);
    struct kg_table *table = table_add(document, &form, 0);
    for (size_t i = 0; i < history->node_count; i++) {
        const struct kg_history_node *node = &history->nodes[i];
        char ratio[KG_UNIT_BYTES], excess[KG_UNIT_BYTES];
        const char *const cells[] = {
            cell(table, node->host ? node->host : node->machine, COMMIT_SHOWN),
            cell(table, node->suite, NAME_SHOWN),
            kg_arena_copy(&table->arena, kg_change_format(node->ratio, ratio)),
            kg_arena_copy(&table->arena, kg_change_format(node->excess, excess)),
            kg_cell_per_cent(&table->arena, node->deviation),
            cell(table, node->started, NAME_SHOWN)};
        memcpy(kg_table_row_add(table)->cells, cells, sizeof cells);
    }
}

/* --- Audits ----------------------------------------------------------------------------------- */

static void alarms_add(const struct kg_history_audit *audit, struct kg_document *document)
{
    kg_part_add(document, KG_PART_FIGURE, "false alarms");
    if (!audit->same) {
        kg_span_text(document, "unknown: no tests at unchanged code");
        return;
    }
    kg_span_text(document,
                 "%zu in %zu tests at unchanged code: %.2f %%, 95 %% interval %.2f to %.2f %%, "
                 "nominal at most %.1f %%; %zu blamed on code",
                 audit->alarms, audit->same, 100 * (double)audit->alarms / (double)audit->same,
                 100 * audit->low, 100 * audit->high, 100 * audit->nominal, audit->blamed);
}

static void steps_add(const struct kg_history_audit *audit, struct kg_document *document)
{
    static const double DOUBTFUL = 0.01;
    kg_part_text(document, KG_PART_FIGURE, "code steps", "%zu regression%s, %zu improvement%s",
                 audit->regressions, audit->regressions == 1 ? "" : "s", audit->improvements,
                 audit->improvements == 1 ? "" : "s");
    if (audit->regressions + audit->improvements)
        kg_span_text(document, "; sign test: p = %.2g", audit->sign_p);
    if (audit->sign_p < DOUBTFUL && audit->improvements < audit->regressions)
        kg_part_prose(
            document, KG_PART_ITEM, "doubtful",
            "A process of false alarms finds regressions and no improvements. Confirm the "
            "regressions by `kgate ab` before you trust them.");
}

/* Time of the machine that a true finding costs. */
static void confirmations_add(const struct kg_history_audit *audit, struct kg_document *document)
{
    char duration[KG_UNIT_BYTES];
    if (!(audit->confirmed + audit->refuted + audit->undecided))
        return;
    kg_part_text(document, KG_PART_FIGURE, "paired rounds",
                 "%zu confirmed, %zu refuted, %zu undecided in %s", audit->confirmed,
                 audit->refuted, audit->undecided,
                 kg_duration_format(audit->seconds * 1e9, duration));
    if (audit->confirmed)
        kg_span_text(document, ": %s per confirmed change",
                     kg_duration_format(audit->seconds * 1e9 / (double)audit->confirmed, duration));
}

/* Beyond twice the value the exact figure helps nobody. */
static const char *visible_cell(struct kg_arena *arena, double visible)
{
    return visible > 1 ? "> 100 %" : kg_cell_per_cent(arena, visible);
}

static void cases_add(const struct kg_history_audit *audit, size_t most,
                      struct kg_document *document)
{
    static const struct kg_table form = {
        .columns = 6,
        .heads = {"case", "metric", "runs", "between runs", "between rounds", "smallest change"},
        .left = {true, true}};
    const size_t shown = most && most < audit->case_count ? most : audit->case_count;
    if (!shown)
        return;
    kg_part_gap(document);
    struct kg_table *table = table_add(document, &form, 2);
    for (size_t i = 0; i < shown; i++) {
        const struct kg_audited_case *audited = &audit->cases[i];
        const char *const cells[] = {cell(table, audited->id_of_case, SIZE_MAX),
                                     cell(table, audited->metric, NAME_SHOWN),
                                     kg_arena_printf(&table->arena, "%zu", audited->runs),
                                     kg_cell_per_cent(&table->arena, audited->between),
                                     kg_cell_per_cent(&table->arena, audited->within),
                                     visible_cell(&table->arena, audited->visible)};
        memcpy(kg_table_row_add(table)->cells, cells, sizeof cells);
    }
    kg_part_rest(document, audit->case_count - shown);
    kg_part_text(document, KG_PART_SMALL, NULL,
                 "smallest change: detected in nine of ten gates with %zu rounds per side, at "
                 "alpha %g %% for all %zu series, before the threshold of the suite",
                 audit->rounds, 100 * audit->alpha, audit->series);
}

static void audits_add(const struct kg_history *history, size_t most, struct kg_document *document)
{
    for (size_t i = 0; i < history->audit_count; i++) {
        const struct kg_history_audit *audit = &history->audits[i];
        if (i)
            kg_part_gap(document);
        kg_part_add(document, KG_PART_SENTENCE, NULL);
        kg_span_add(document, KG_SPAN_NAME, audit->suite);
        kg_span_text(document, " on ");
        kg_span_add(document, KG_SPAN_NAME, audit->machine);
        if (audit->host) {
            kg_span_text(document, ", host ");
            kg_span_add(document, KG_SPAN_NAME, audit->host);
        }
        document->indent = 2;
        alarms_add(audit, document);
        steps_add(audit, document);
        confirmations_add(audit, document);
        cases_add(audit, most, document);
        document->indent = 0;
    }
}

void kg_history_document(const struct kg_report_subject *subject, struct kg_document *document)
{
    static const char *const nothing[KG_HISTORY_CONTENTS] = {"no runs", "no points", "no changes",
                                                             "no points"};
    const struct kg_history *history = subject->history;
    const size_t most = subject->top == KG_REPORT_TOP_USUAL ? ROWS_USUAL : subject->top;
    const size_t rows[KG_HISTORY_CONTENTS] = {history->run_count, history->series_count,
                                              history->change_count, history->audit_count};
    if (!rows[history->content])
        kg_part_text(document, KG_PART_SENTENCE, NULL, "%s", nothing[history->content]);
    else if (history->content == KG_HISTORY_LIST)
        runs_add(history, document);
    else if (history->content == KG_HISTORY_TRENDS)
        trends_add(history, most, document);
    else if (history->content == KG_HISTORY_CHANGES)
        changes_add(history, document);
    else
        audits_add(history, most, document);
    nodes_add(history, document);
}
