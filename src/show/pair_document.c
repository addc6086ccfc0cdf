#include "show/pair_text.h"

#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "base/table.h"
#include "base/units.h"
#include "base/wrap.h"
#include "show/cells.h"
#include "show/columns.h"
#include "show/terminal_parts.h"

enum { SIDES = 2, NAME_MOST = 200, SENTENCE_MOST = 1000 };

static const char *interval_cell(struct kg_arena *arena, const struct kg_summary *summary)
{
    char low[KG_UNIT_BYTES], high[KG_UNIT_BYTES];
    if (!isfinite(summary->interval_low_ns) || !isfinite(summary->interval_high_ns))
        return "";
    return kg_arena_printf(arena, "%s … %s", kg_duration_format(summary->interval_low_ns, low),
                           kg_duration_format(summary->interval_high_ns, high));
}

static void side_row(const struct kg_report_two *two, size_t side, struct kg_table *table)
{
    const struct kg_case_result *result = &two->results[side]->cases[0];
    struct kg_table_row *row = kg_table_row_add(table);
    char value[KG_UNIT_BYTES];
    if (!row)
        return;
    row->cells[0] = kg_terminal_escaped(&table->arena, two->names[side]);
    if (result->round_count) {
        row->cells[1] =
            kg_arena_copy(&table->arena, kg_duration_format(result->summary.median_ns, value));
        row->cells[2] = interval_cell(&table->arena, &result->summary);
        row->cells[4] = kg_arena_printf(&table->arena, "%zu", result->round_count);
    }
    row->cells[3] = kg_column_memory(&table->arena, result);
    table->failed = table->failed || !row->cells[0];
}

static void sides_print(const struct kg_report_two *two, const struct kg_report_style *style,
                        struct kg_text *text)
{
    struct kg_table table = {
        .columns = 5,
        .indent = 2,
        .width = style->width,
        .heads = {"", "median of rounds", "95 % interval", "peak memory", "rounds"},
        .left = {true, false, false, false, false},
        .spare = {0, 0, KG_TABLE_NEEDED, 2, 1}};
    if (!two->results[0]->cases[0].round_count && !two->results[1]->cases[0].round_count)
        return;
    for (size_t side = 0; side < SIDES; side++)
        side_row(two, side, &table);
    kg_table_print(&table, style->colour, text);
    kg_table_free(&table);
}

static void failures_print(const struct kg_report_two *two, struct kg_text *text)
{
    for (size_t side = 0; side < SIDES; side++) {
        const struct kg_case_result *result = &two->results[side]->cases[0];
        if (result->status == KG_STATUS_FAILED && result->stderr_tail)
            kg_terminal_tail(two->names[side], result->stderr_tail, text);
    }
}

static const struct kg_metric *metric_find(const struct kg_case_change *change, const char *name)
{
    for (size_t i = 0; i < change->metric_count; i++)
        if (!strcmp(change->metrics[i].name, name))
            return &change->metrics[i];
    return NULL;
}

/* "12.3 % more", "3.05 times the" */
static void amount_append(double ratio, struct kg_text *text)
{
    static const double TIMES = 3;
    if (ratio >= TIMES || ratio <= 1 / TIMES)
        kg_text_printf(text, "%.3g times the", ratio);
    else
        kg_text_printf(text, "%.1f %% %s", 100 * fabs(ratio - 1), ratio > 1 ? "more" : "less");
}

static void interval_append(const struct kg_metric *metric, struct kg_text *text)
{
    struct kg_arena arena = {0};
    const char *interval = kg_cell_interval(&arena, metric);
    if (interval && *interval)
        kg_text_printf(text, " (%s, 95 %% interval)", interval);
    kg_arena_free(&arena);
}

/* Which way an undecided metric moved: where its interval is on one side, only how far is open, and
 * of what looks worse the proof is missing. */
static void undecided_say(const struct kg_metric *metric, const char *const names[SIDES],
                          struct kg_text *text)
{
    const bool time = !strcmp(metric->name, "time"), more = metric->ratio > 1;
    const char *moved = time ? (more ? "slower" : "faster") : more ? "larger" : "smaller";
    const bool suspect = metric->change == KG_CHANGE_SUSPECT;
    if (!(metric->interval_low > 1) && !(metric->interval_high < 1))
        kg_text_printf(text, "undecided whether %s is %s than %s in %s", names[1],
                       time ? "slower or faster" : "better or worse", names[0], metric->name);
    else if (time)
        kg_text_printf(text, "%s %s %s than %s, but %s", names[1], suspect ? "looks" : "is", moved,
                       names[0], suspect ? "without proof" : "open by how much");
    else
        kg_text_printf(text, "%s of %s %s %s than of %s, but %s", metric->name, names[1],
                       suspect ? "looks" : "is", moved, names[0],
                       suspect ? "without proof" : "open by how much");
}

/* The sentence about one metric. names: shown as they are */
static void metric_say(const struct kg_metric *metric, const char *const names[SIDES],
                       const char *reason, struct kg_text *text)
{
    const bool time = !strcmp(metric->name, "time");
    switch (metric->change) {
    case KG_CHANGE_REGRESSION:
    case KG_CHANGE_IMPROVEMENT:
        if (time)
            kg_text_printf(text, "%s is %s than %s: ", names[1],
                           metric->ratio > 1 ? "slower" : "faster", names[0]);
        else
            kg_text_printf(text, "%s takes ", names[1]);
        amount_append(metric->ratio, text);
        kg_text_printf(text, " %s", metric->name);
        interval_append(metric, text);
        return;
    case KG_CHANGE_NO_CHANGE:
        if (metric->doubt == KG_DOUBT_CODE_UNCHANGED && reason) {
            kg_text_append(text, reason);
            interval_append(metric, text);
            return;
        }
        kg_text_printf(text, "%s and %s %s %s, within %.3g %%", names[0], names[1],
                       time ? "take the same" : "need the same", metric->name,
                       100 * metric->threshold);
        interval_append(metric, text);
        return;
    default:
        undecided_say(metric, names, text);
        if (isfinite(metric->ratio)) {
            char moved[KG_UNIT_BYTES];
            kg_text_printf(text, ": %s", kg_change_format(metric->ratio, moved));
        }
        if (reason && *reason)
            kg_text_printf(text, ": %s", reason);
        else
            interval_append(metric, text);
    }
}

static const char *colour_of(const struct kg_comparison *comparison)
{
    return comparison->verdict == KG_VERDICT_FAIL   ? KG_TERMINAL_BAD
           : comparison->verdict == KG_VERDICT_PASS ? KG_TERMINAL_GOOD
                                                    : KG_TERMINAL_DOUBT;
}

static void line_print(const struct kg_report_style *style, const char *head, const char *words,
                       struct kg_text *text)
{
    struct kg_text shown = {0};
    kg_escape_terminal(&shown, words, SENTENCE_MOST);
    kg_wrap(text, head, kg_text_string(&shown), style->width);
    text->failed = text->failed || shown.failed;
    kg_text_free(&shown);
}

/* Each side that fails, with its own reason: that of the head begins with whose it is. False where
 * neither says that it fails by itself. */
static bool failures_say(const struct kg_report_two *two, const struct kg_report_style *style,
                         struct kg_text *text)
{
    static const char of_head[] = "the head fails";
    bool said = false;
    for (size_t side = 0; side < SIDES; side++) {
        const struct kg_case_result *result = &two->results[side]->cases[0];
        const char *reason = result->reason ? result->reason : "";
        struct kg_text words = {0};
        if (result->status != KG_STATUS_FAILED ||
            (side && strncmp(reason, of_head, strlen(of_head)) != 0))
            continue;
        const char *own = side ? strstr(reason, ": ") : NULL;
        kg_text_printf(&words, "%s fails: %s", two->names[side], own ? own + 2 : reason);
        line_print(style, "  ", kg_text_string(&words), text);
        text->failed = text->failed || words.failed;
        kg_text_free(&words);
        said = true;
    }
    return said;
}

/* One sentence a metric, the time first; what else did not change is not worth one. */
static void sentences_print(const struct kg_report_two *two, const struct kg_report_style *style,
                            struct kg_text *text)
{
    const struct kg_case_change *change = &two->comparison->cases[0];
    const struct kg_metric *time = metric_find(change, "time");
    for (size_t i = 0; i <= change->metric_count; i++) {
        const struct kg_metric *metric = i ? &change->metrics[i - 1] : time;
        struct kg_text words = {0};
        if (!metric || (i && metric == time) ||
            (i && time && metric->change == KG_CHANGE_NO_CHANGE &&
             !strcmp(metric->name, "peak_memory") && !style->verbose))
            continue;
        metric_say(metric, two->names, metric->reason, &words);
        line_print(style, "  ", kg_text_string(&words), text);
        text->failed = text->failed || words.failed;
        kg_text_free(&words);
    }
    if (!failures_say(two, style, text) && !change->metric_count && change->reason)
        line_print(style, "  ", change->reason, text);
}

void kg_report_two_text(const struct kg_report_two *two, const struct kg_report_style *style,
                        struct kg_text *text)
{
    const struct kg_comparison *comparison = two->comparison;
    if (!style->quiet) {
        sides_print(two, style, text);
        failures_print(two, text);
        kg_text_append(text, text->length ? "\n" : "");
    }
    const bool failed = two->results[0]->cases[0].status == KG_STATUS_FAILED ||
                        two->results[1]->cases[0].status == KG_STATUS_FAILED;
    kg_text_printf(text, "%s%s%s\n", style->colour ? colour_of(comparison) : "",
                   kg_change_name(failed ? KG_CHANGE_FAILED : comparison->cases[0].change),
                   style->colour ? "\x1b[0m" : "");
    sentences_print(two, style, text);
    for (size_t i = 0; i < comparison->note_count && !style->quiet; i++)
        line_print(style, "  note: ", comparison->notes[i], text);
}
