/* pair_document.c: one case of two builds: one row per side, and a sentence that names the faster side. */
#include "show/pair_text.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "model/change.h"
#include "show/advice_text.h"
#include "show/cells.h"
#include "show/columns.h"
#include "show/document.h"

enum { SIDES = 2 };

static const char *interval_cell(struct kg_arena *arena, const struct kg_summary *summary)
{
    char low[KG_UNIT_BYTES], high[KG_UNIT_BYTES];
    if (!(summary->interval_low_ns < summary->interval_high_ns))
        return ""; /* one round counted */
    return kg_arena_printf(arena, "%s … %s", kg_duration_format(summary->interval_low_ns, low),
                           kg_duration_format(summary->interval_high_ns, high));
}

static void side_row(const struct kg_report_two *two, size_t side, struct kg_table *table)
{
    const struct kg_case_result *result = &two->results[side]->cases[0];
    struct kg_table_row *row = kg_table_row_add(table);
    row->cells[0] = two->names[side];
    if (result->round_count) {
        row->cells[1] = kg_cell_time(&table->arena, result->summary.median_ns);
        row->cells[2] = interval_cell(&table->arena, &result->summary);
        row->cells[4] = kg_arena_printf(&table->arena, "%zu", result->round_count);
    }
    row->cells[3] = kg_column_memory(&table->arena, result);
}

static void sides_add(struct kg_document *document, const struct kg_report_two *two)
{
    static const struct kg_table form = {
        .columns = 5,
        .heads = {"", "median of rounds", "95 % interval", "peak memory", "rounds"},
        .left = {true, false, false, false, false},
        .spare = {0, 0, KG_TABLE_NEEDED, 2, 1}};
    if (!two->results[0]->cases[0].round_count && !two->results[1]->cases[0].round_count)
        return;
    struct kg_table *table = kg_part_table(document, &form);
    for (size_t side = 0; side < SIDES; side++)
        side_row(two, side, table);
}

static void tails_add(struct kg_document *document, const struct kg_report_two *two)
{
    for (size_t side = 0; side < SIDES; side++) {
        const struct kg_case_result *result = &two->results[side]->cases[0];
        if (result->status == KG_STATUS_FAILED)
            kg_part_tail(document, two->names[side], result->stderr_tail);
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

/* The direction of an undecided metric. If its interval lies on one side of 1, only the amount is open. A SUSPECT only
 * looks worse: the proof is missing. */
static void undecided_print(const struct kg_metric *metric, const char *const names[SIDES],
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
                       names[0], suspect ? "this is not proven" : "the amount is undecided");
    else
        kg_text_printf(text, "%s of %s %s %s than of %s, but %s", metric->name, names[1],
                       suspect ? "looks" : "is", moved, names[0],
                       suspect ? "this is not proven" : "the amount is undecided");
}

/* Appends the sentence about one metric. names: printed unchanged */
static void metric_print(const struct kg_metric *metric, const char *const names[SIDES],
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
        if (metric->code_unchanged && reason && *reason)
            kg_text_printf(text, ": %s", reason);
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
        undecided_print(metric, names, text);
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

/* Adds the words as a sentence and frees them. */
static void sentence_add(struct kg_document *document, struct kg_text *words)
{
    kg_part_take(document, KG_PART_SENTENCE, NULL, words);
}

/* Adds one sentence per failed side, with its reason. Only a reason that begins with `of_head` is a failure of the
 * candidate itself; run/pairing.c sets other reasons for the pair. Returns false if it adds no sentence. */
static bool failures_add(struct kg_document *document, const struct kg_report_two *two)
{
    static const char of_head[] = "the candidate fails";
    bool printed = false;
    for (size_t side = 0; side < SIDES; side++) {
        const struct kg_case_result *result = &two->results[side]->cases[0];
        const char *reason = result->reason ? result->reason : "";
        struct kg_text words = {0};
        if (result->status != KG_STATUS_FAILED ||
            (side && strncmp(reason, of_head, strlen(of_head)) != 0))
            continue;
        const char *own = side ? strstr(reason, ": ") : NULL;
        kg_text_printf(&words, "%s fails: %s", two->names[side], own ? own + 2 : reason);
        sentence_add(document, &words);
        printed = true;
    }
    return printed;
}

/* Adds one sentence per metric, the time first. If the report is not verbose, unchanged peak memory gets none. */
static void sentences_add(struct kg_document *document, const struct kg_report_two *two)
{
    const struct kg_case_change *change = &two->comparison->cases[0];
    const struct kg_metric *time = metric_find(change, "time");
    for (size_t i = 0; i <= change->metric_count; i++) {
        const struct kg_metric *metric = i ? &change->metrics[i - 1] : time;
        struct kg_text words = {0};
        if (!metric || (i && metric == time) ||
            (i && time && metric->change == KG_CHANGE_NO_CHANGE &&
             !strcmp(metric->name, "peak_memory") && !document->style.verbose))
            continue;
        metric_print(metric, two->names, metric->reason, &words);
        sentence_add(document, &words);
    }
    if (!failures_add(document, two) && !change->metric_count)
        kg_part_prose(document, KG_PART_SENTENCE, NULL, change->reason);
}

/* Adds the different compiler options, and the code places with the additional time of the slower side. */
static void places_add(struct kg_document *document, const struct kg_suggestions *suggestions)
{
    for (size_t i = 0; suggestions && i < suggestions->change_count; i++)
        if (kg_evidence_is_place(&suggestions->changes[i])) {
            kg_part_prose(document, KG_PART_SENTENCE, NULL, suggestions->changes[i].text);
            kg_part_prose(document, KG_PART_SENTENCE, "try", suggestions->changes[i].hint);
            kg_advice_source_add(document, &suggestions->changes[i], false);
        }
}

void kg_report_two(const struct kg_report_two *two, const struct kg_report_style *style,
                   struct kg_text *text)
{
    const struct kg_comparison *comparison = two->comparison;
    struct kg_document document = {.style = *style};
    if (!style->quiet) {
        sides_add(&document, two);
        tails_add(&document, two);
        if (document.count)
            kg_part_gap(&document);
    }
    const bool failed = two->results[0]->cases[0].status == KG_STATUS_FAILED ||
                        two->results[1]->cases[0].status == KG_STATUS_FAILED;
    kg_part_add(&document, KG_PART_HEADLINE, "kgate ab");
    kg_span_strong(&document, KG_SPAN_TEXT,
                   kg_change_name(failed ? KG_CHANGE_FAILED : comparison->cases[0].change),
                   kg_tone_colours[kg_verdicts[comparison->verdict].tone]);
    document.indent = 2;
    sentences_add(&document, two);
    places_add(&document, two->suggestions);
    for (size_t i = 0; i < comparison->note_count && !style->quiet; i++)
        kg_part_prose(&document, KG_PART_SENTENCE, "note", comparison->notes[i]);
    kg_document_print(&document, text);
}
