/* history_text.c: rows of a history as tables of text. */
#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "base/table.h"
#include "base/units.h"
#include "cli/history_parts.h"

enum { COMMIT_SHOWN = 12, BRANCH_SHOWN = 24, NAME_SHOWN = 32 };

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

static void table_end(struct kg_table *table, struct kg_text *text)
{
    kg_table_print(table, false, text);
    kg_table_free(table);
}

void kg_history_runs_text(const struct kg_history *history, struct kg_text *text)
{
    struct kg_table table = {
        .columns = 8,
        .heads = {"started", "suite", "kind", "commit", "branch", "host", "machine", "points"},
        .left = {true, true, true, true, true, true, true}};
    for (size_t i = 0; i < history->run_count; i++) {
        const struct kg_history_run *run = &history->runs[i];
        struct kg_table_row *row = kg_table_row_add(&table);
        struct kg_text points = {0};
        kg_text_printf(&points, "%zu", run->points);
        const char *const cells[] = {
            cell(&table, run->started, NAME_SHOWN),  cell(&table, run->suite, NAME_SHOWN),
            kg_history_kind_names[run->kind],        commit_cell(&table, run),
            cell(&table, run->branch, BRANCH_SHOWN), cell(&table, run->host, NAME_SHOWN),
            cell(&table, run->machine, NAME_SHOWN),  kg_table_cell(&table, &points)};
        memcpy(row->cells, cells, sizeof cells);
    }
    if (history->run_count)
        table_end(&table, text);
    else
        kg_text_append(text, "no runs\n");
}

/* Appends ", WORD" or the first word. */
static void word_add(struct kg_text *words, const char *word)
{
    kg_text_printf(words, "%s%s", words->length ? ", " : "", word);
}

static bool differs(const char *a, const char *b)
{
    return a && b && strcmp(a, b) != 0;
}

/* Adds the changes whose range ends with the run. */
static void changes_add(const struct kg_history *history, const struct kg_history_series *series,
                        const struct kg_history_run *run, struct kg_text *words)
{
    char formatted[KG_UNIT_BYTES];
    for (size_t i = 0; i < history->change_count; i++) {
        const struct kg_history_change *change = &history->changes[i];
        if (change->series != series->id || differs(change->after, run->hash) || !change->after)
            continue;
        kg_text_printf(words, "%s%s %s (%s, cause %s)", words->length ? ", " : "", change->kind,
                       kg_change_format(change->ratio, formatted), change->state, change->cause);
    }
}

/* Changes, differences from the run before, and remarks. */
static const char *remarks(struct kg_table *table, const struct kg_history *history,
                           const struct kg_history_series *series,
                           const struct kg_history_point *point,
                           const struct kg_history_point *before)
{
    const struct kg_history_run *run = &history->runs[point->run];
    const struct kg_history_run *last = before ? &history->runs[before->run] : NULL;
    struct kg_text words = {0};
    changes_add(history, series, run, &words);
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

static void series_head(const struct kg_history_series *series, struct kg_text *text)
{
    kg_escape_terminal(text, series->id_of_case, SIZE_MAX);
    kg_text_append(text, "  ");
    kg_escape_terminal(text, series->metric, NAME_SHOWN);
    kg_text_append(text, "  on ");
    kg_escape_terminal(text, series->machine, SIZE_MAX);
    if (series->host) {
        kg_text_append(text, ", host ");
        kg_escape_terminal(text, series->host, NAME_SHOWN);
    }
    kg_text_printf(text, ", %zu run%s\n", series->point_count, series->point_count == 1 ? "" : "s");
}

static void series_append(const struct kg_history *history, const struct kg_history_series *series,
                          size_t most, struct kg_text *text)
{
    struct kg_table table = {.columns = 6,
                             .indent = 2,
                             .trimmed = true,
                             .heads = {"started", "commit", "value", "error", "change", "remarks"},
                             .left = {true, true, false, false, false, true}};
    const size_t first = most && series->point_count > most ? series->point_count - most : 0;
    series_head(series, text);
    for (size_t i = first; i < series->point_count; i++) {
        const struct kg_history_point *point = &series->points[i], *before = i ? point - 1 : NULL;
        const struct kg_history_run *run = &history->runs[point->run];
        struct kg_table_row *row = kg_table_row_add(&table);
        struct kg_text value = {0};
        char formatted[KG_UNIT_BYTES];
        kg_text_append(&value,
                       kg_value_format(series->unit ? series->unit : "", point->value, formatted));
        const char *const cells[] = {cell(&table, run->started, NAME_SHOWN),
                                     commit_cell(&table, run),
                                     kg_table_cell(&table, &value),
                                     error_cell(&table, point),
                                     change_cell(&table, point, before),
                                     remarks(&table, history, series, point, before)};
        memcpy(row->cells, cells, sizeof cells);
    }
    table_end(&table, text);
    if (first)
        kg_text_printf(text, "  %zu earlier run%s: --top 0 or --json\n", first,
                       first == 1 ? "" : "s");
}

void kg_history_series_text(const struct kg_history *history, size_t most, struct kg_text *text)
{
    for (size_t i = 0; i < history->series_count; i++) {
        kg_text_append(text, i ? "\n" : "");
        series_append(history, &history->series[i], most, text);
    }
    if (!history->series_count)
        kg_text_append(text, "no points\n");
}

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

void kg_history_changes_text(const struct kg_history *history, struct kg_text *text)
{
    struct kg_table table = {.columns = 10,
                             .trimmed = true,
                             .heads = {"case", "metric", "host", "kind", "change", "95 % interval",
                                       "cause", "state", "commits", "found"},
                             .left = {true, true, true, true, false, true, true, true, true, true}};
    for (size_t i = 0; i < history->change_count; i++) {
        const struct kg_history_change *change = &history->changes[i];
        struct kg_table_row *row = kg_table_row_add(&table);
        struct kg_text ratio = {0};
        char formatted[KG_UNIT_BYTES];
        kg_text_append(&ratio, kg_change_format(change->ratio, formatted));
        const char *const cells[] = {
            cell(&table, change->id_of_case, SIZE_MAX),
            cell(&table, change->metric, NAME_SHOWN),
            cell(&table, change->host ? change->host : change->machine, COMMIT_SHOWN),
            cell(&table, change->kind, NAME_SHOWN),
            kg_table_cell(&table, &ratio),
            interval_cell(&table, change),
            cell(&table, change->cause, NAME_SHOWN),
            cell(&table, change->state, NAME_SHOWN),
            commits_cell(&table, change),
            cell(&table, change->found, NAME_SHOWN)};
        memcpy(row->cells, cells, sizeof cells);
    }
    if (history->change_count)
        table_end(&table, text);
    else
        kg_text_append(text, "no changes\n");
}
