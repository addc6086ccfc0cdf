#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "base/units.h"
#include "show/advice_text.h"
#include "show/cells.h"
#include "show/markdown_parts.h"
#include "show/report.h"
#include "why/advice_index.h"

/* Characters of a text; escaped, one takes nine bytes at the most. So a row, or a reason with what
 * was written to standard error, stays below ROW_MOST bytes. The closing part is made first; what it
 * leaves is the others' room. */
enum { REASON_MOST = 300, NEXT_MOST = 1000, CELL_MOST = 40, EVIDENCE_MOST = 160, ROW_MOST = 12000 };

/* How long the text may be when a row is begun, for `closing` to fit behind it. */
static size_t room_before(const struct kg_text *closing)
{
    return KG_MARKDOWN_MOST - ROW_MOST - closing->length;
}

static const char *symbol(enum kg_change change)
{
    static const char *const symbols[KG_CHANGE_COUNT] = {
        [KG_CHANGE_IMPROVEMENT] = "🟢",  [KG_CHANGE_REGRESSION] = "🔴",
        [KG_CHANGE_NO_CHANGE] = "⚪",       [KG_CHANGE_SUSPECT] = "🟠",
        [KG_CHANGE_INCONCLUSIVE] = "🟡", [KG_CHANGE_NEW] = "🔵",
        [KG_CHANGE_REMOVED] = "🟤",      [KG_CHANGE_FAILED] = "❌",
        [KG_CHANGE_SKIPPED] = "⏭️"};
    return symbols[change];
}

/* Which versions were compared. */
static void commits_print(const struct kg_comparison *comparison, struct kg_text *text)
{
    struct kg_text words = {0};
    kg_cell_commits(comparison, &words);
    if (words.length) {
        kg_text_append(text, "\n");
        kg_markdown_words(text, kg_text_string(&words), NEXT_MOST);
        kg_text_append(text, "\n");
    }
    text->failed = text->failed || words.failed;
    kg_text_free(&words);
}

/* By what it was judged, and what the change edited of that: a reviewer must see it. */
static void trust_print(const struct kg_comparison *comparison, struct kg_text *text)
{
    enum { MOST = 10 };
    if (!comparison->trust)
        return;
    kg_text_append(text, "\nSuite and thresholds: ");
    kg_markdown_words(text, comparison->trust, REASON_MOST);
    kg_text_append(text, comparison->edit_count ? ". This change edits:\n\n" : ".\n");
    for (size_t i = 0; i < comparison->edit_count && i < MOST; i++) {
        kg_text_append(text, "- ");
        kg_markdown_words(text, comparison->edits[i], REASON_MOST);
        kg_text_append(text, "\n");
    }
    if (comparison->edit_count > MOST)
        kg_text_printf(text, "- … and %zu more: they are in comparison.json\n",
                       comparison->edit_count - MOST);
}

static void headline(const struct kg_comparison *comparison, struct kg_text *text)
{
    static const char *const badges[] = {
        [KG_VERDICT_PASS] = "✅", [KG_VERDICT_FAIL] = "❌", [KG_VERDICT_UNDECIDED] = "🟡"};
    kg_text_printf(text, "**%s kgate %s**: suite ", badges[comparison->verdict],
                   kg_verdict_names[comparison->verdict]);
    kg_markdown_name(text, comparison->suite);
    kg_text_append(text, ", ");
    kg_cell_counts(comparison, text);
    kg_text_append(text, "\n");
    for (size_t i = 0; i < comparison->verdict_reason_count; i++) {
        kg_text_append(text, i ? "- " : "\n- ");
        kg_markdown_words(text, comparison->verdict_reasons[i], REASON_MOST);
        kg_text_append(text, "\n");
    }
    if (comparison->base && comparison->head) {
        kg_text_append(text, "\nBase: ");
        kg_markdown_name(text, comparison->base);
        kg_text_append(text, ", head: ");
        kg_markdown_name(text, comparison->head);
        kg_text_append(text, "\n");
    }
    commits_print(comparison, text);
    trust_print(comparison, text);
    if (comparison->next) {
        kg_text_append(text, "\nNext: ");
        kg_markdown_words(text, comparison->next, NEXT_MOST);
        kg_text_append(text, "\n");
    }
}

/* What a workload reports, or what settled its case, under it. */
static void figures_print(struct kg_text *text, const char *figures)
{
    if (!figures || !*figures)
        return;
    kg_text_append(text, "<br>");
    kg_markdown_words(text, figures, REASON_MOST);
}

/* What changed in its evidence where that was looked at, under its case: the most telling first. */
static void evidence_print(struct kg_text *text, const struct kg_advice_index *advice,
                           const struct kg_case_change *change)
{
    enum { MOST = 2 };
    for (size_t n = 0; n < MOST; n++) {
        const struct kg_evidence_change *evidence = kg_advice_change(advice, change->id, n);
        if (!evidence)
            return;
        kg_text_append(text, "<br>↳ ");
        kg_markdown_words(text, evidence->text, EVIDENCE_MOST);
    }
}

/* The time of this run: where pairs decided, of the head in them. */
static double time_now(const struct kg_case_change *change)
{
    for (size_t m = 0; m < change->metric_count; m++) {
        const struct kg_metric *metric = &change->metrics[m];
        if (!strcmp(metric->name, "time") && kg_metric_against(metric) == KG_AGAINST_BASE)
            return metric->current;
    }
    return change->time_ns;
}

/* What a metric of the case was in the stored runs: NULL where that is not known. */
static const double *past_of(const struct kg_case_change *change, const char *name, size_t *count)
{
    if (!strcmp(name, "time")) {
        *count = change->history_count;
        return change->history;
    }
    for (size_t m = 0; m < change->metric_count; m++) { /* of a pin's the ordinary one has it */
        const struct kg_metric *metric = &change->metrics[m];
        if (!metric->history_count || strcmp(metric->name, name) != 0)
            continue;
        *count = metric->history_count;
        return metric->history;
    }
    *count = 0;
    return NULL;
}

/* The metric of the row in the baseline's runs and in this one, as a line of blocks. */
static void runs_print(const struct kg_case_change *change, struct kg_text *text)
{
    enum { RUNS_MOST = 33, PAST_LEAST = 2 }; /* a line of two points shows nothing */
    double values[RUNS_MOST];
    size_t count = 0, past_count;
    if (!change->metric_count)
        return;
    const struct kg_metric *metric = &change->metrics[0];
    const double now = !strcmp(metric->name, "time") ? time_now(change) : metric->current;
    const double *past = past_of(change, metric->name, &past_count);
    if (past_count < PAST_LEAST || !(now > 0))
        return;
    for (size_t i = past_count >= RUNS_MOST ? past_count - RUNS_MOST + 1 : 0; i < past_count; i++)
        values[count++] = past[i];
    values[count++] = now;
    kg_sparkline(text, values, count, 2 * metric->threshold);
}

static void change_row(struct kg_text *text, struct kg_arena *arena,
                       const struct kg_advice_index *advice, const struct kg_case_change *change)
{
    char time[KG_UNIT_BYTES];
    kg_text_append(text, "| ");
    kg_markdown_name(text, change->id);
    if (!kg_markdown_is_change(change))
        figures_print(text, kg_cell_figures(arena, change->figures, change->figure_count));
    if (!kg_markdown_is_change(change))
        figures_print(text, change->waiver);
    /* these have no figures that would say more */
    if (change->change == KG_CHANGE_FAILED || change->change == KG_CHANGE_SKIPPED)
        figures_print(text, change->reason);
    if (!kg_markdown_is_change(change) &&
        change->pairs) /* of changes the list of reasons says it */
        figures_print(text, change->reason);
    if (change->metric_count && change->change != KG_CHANGE_NEW) {
        const struct kg_metric *metric = &change->metrics[0];
        const char *what = kg_cell_metric(arena, metric);
        const char *cells[] = {kg_cell_reference(arena, metric),
                               kg_cell_value(arena, metric, metric->current),
                               kg_cell_change(arena, metric), kg_cell_interval(arena, metric),
                               kg_cell_threshold(arena, metric)};
        if (what && *what) {
            kg_text_append(text, "<br>");
            kg_markdown_name(text, what);
        }
        evidence_print(text, advice, change);
        for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
            kg_text_append(text, " | ");
            kg_escape_markdown(text, cells[i] ? cells[i] : "", CELL_MOST);
        }
    } else {
        kg_text_printf(text, " |  | %s |  |  | ",
                       isfinite(change->time_ns) ? kg_duration_format(change->time_ns, time) : "");
    }
    kg_text_append(text, " | ");
    runs_print(change, text);
    const char *verdict = kg_cell_verdict(arena, change);
    kg_text_printf(text, " | %s %s%s |\n", change->waived ? "☑️" : symbol(change->change),
                   verdict ? verdict : "", change->not_measured ? ", not measured" : "");
}

/* Rows of one sort, at most `top` of them and none begun from `room` bytes on; says how many were
 * left out. */
static void rows(const struct kg_comparison *comparison, const struct kg_advice_index *advice,
                 bool changes, size_t top, size_t room, struct kg_text *text)
{
    struct kg_arena arena = {0};
    size_t shown = 0, left_out = 0;
    kg_text_append(text,
                   "| case | baseline | current | change | 95 % interval | threshold | runs | "
                   "verdict |\n| :-- | --: | --: | --: | --: | --: | :-- | :-- |\n");
    for (size_t i = 0; i < comparison->case_count; i++) {
        const struct kg_case_change *change = &comparison->cases[i];
        if (kg_markdown_is_change(change) != changes)
            continue;
        if ((top && shown == top) || text->length >= room) {
            left_out++;
            continue;
        }
        change_row(text, &arena, advice, change);
        shown++;
    }
    const char *estimator = kg_cell_estimator(comparison);
    if (*estimator)
        kg_text_printf(text, "\n<sub>%s</sub>\n", estimator);
    if (left_out)
        kg_text_printf(text, "\n… and %zu more: they are in comparison.json.\n", left_out);
    kg_arena_free(&arena);
}

/* How the cases changed together: the suite in a line, workloads in a folded list. */
static void overall_print(const struct kg_comparison *comparison, size_t room, struct kg_text *text)
{
    enum { MOST = 20 };
    if (!comparison->overall_count || comparison->overall[0].cases < 2)
        return;
    kg_text_append(text, "\nOverall: ");
    kg_cell_overall(&comparison->overall[0], text);
    kg_text_append(text, ".\n");
    if (comparison->overall_count <= 2)
        return;
    kg_text_append(text, "\n<details><summary>By workload</summary>\n\n");
    for (size_t i = 1; i < comparison->overall_count && i <= MOST && text->length < room; i++) {
        kg_text_append(text, "- ");
        kg_markdown_name(text,
                         comparison->overall[i].workload ? comparison->overall[i].workload : "");
        kg_text_append(text, ": ");
        kg_cell_overall(&comparison->overall[i], text);
        kg_text_append(text, "\n");
    }
    if (comparison->overall_count > MOST + 1)
        kg_text_printf(text, "- … and %zu more: they are in comparison.json\n",
                       comparison->overall_count - MOST - 1);
    kg_text_append(text, "\n</details>\n");
}

/* The first few suggestions, folded away. */
static void suggestions_print(const struct kg_suggestions *suggestions, size_t room,
                              struct kg_text *text)
{
    enum { MOST = 10, BEYOND = KG_ADVICE_ITEM_MOST - ROW_MOST };
    if (!suggestions || !suggestions->suggestion_count || room < BEYOND)
        return;
    kg_text_append(text, "\n<details><summary>");
    kg_advice_count(suggestions, text);
    kg_text_append(text, "</summary>\n");
    kg_advice_markdown(suggestions, MOST, room - BEYOND, text);
    kg_text_append(text, "\nAll of them: `kgate suggest` of the results; one case in full: `kgate "
                         "explain`.\n\n</details>\n");
}

void kg_report_comparison_markdown(const struct kg_comparison *comparison,
                                   const struct kg_suggestions *suggestions, size_t top,
                                   struct kg_text *text)
{
    struct kg_text closing = {0};
    struct kg_arena arena = {0};
    struct kg_advice_index advice;
    size_t changed = 0;
    if (!kg_advice_index_make(&arena, suggestions, &advice))
        text->failed = true;
    for (size_t i = 0; i < comparison->case_count; i++)
        changed += kg_markdown_is_change(&comparison->cases[i]);
    kg_markdown_closing(comparison, &closing);
    const size_t room = room_before(&closing);
    headline(comparison, text);
    if (changed) {
        /* why the worst changed is worth more than the three hundredth row */
        kg_text_append(text, "\n");
        rows(comparison, &advice, true, top, room / 4 * 3, text);
        kg_markdown_reasons(comparison, &advice, room, text);
        kg_markdown_again(comparison, text);
    }
    overall_print(comparison, room, text);
    suggestions_print(suggestions, room, text);
    if (changed < comparison->case_count) {
        kg_text_printf(text, "\n<details><summary>%zu other case%s</summary>\n\n",
                       comparison->case_count - changed,
                       comparison->case_count - changed == 1 ? "" : "s");
        rows(comparison, &advice, false, 0, room, text);
        kg_text_append(text, "\n</details>\n");
    }
    kg_text_append(text, kg_text_string(&closing));
    text->failed = text->failed || closing.failed;
    kg_text_free(&closing);
    kg_arena_free(&arena);
}

static void result_row(struct kg_text *text, struct kg_arena *arena,
                       const struct kg_case_result *result)
{
    char time[KG_UNIT_BYTES], memory[KG_UNIT_BYTES];
    kg_text_append(text, "| ");
    kg_markdown_name(text, result->id);
    figures_print(text, kg_cell_reported(arena, result));
    kg_text_printf(text, " | %s | %s | %zu | %s",
                   kg_duration_format(result->summary.median_ns, time),
                   kg_size_format(kg_case_peak_bytes(result), memory), result->round_count,
                   kg_status_names[result->status]);
    if (result->reason) {
        kg_text_append(text, ": ");
        kg_markdown_words(text, result->reason, REASON_MOST);
    }
    kg_text_append(text, " |\n");
}

void kg_report_results_markdown(const struct kg_results *results, struct kg_text *text)
{
    struct kg_arena arena = {0};
    struct kg_text closing = {0};
    size_t left_out = 0;
    kg_markdown_machine(&results->machine, &closing);
    const size_t room = room_before(&closing);
    kg_text_append(text, "**kgate results**: suite ");
    kg_markdown_name(text, results->suite);
    if (results->commit) {
        struct kg_text commit = {0};
        kg_cell_commit(results->commit, results->branch, &commit);
        kg_text_append(text, ", commit ");
        kg_markdown_words(text, kg_text_string(&commit), NEXT_MOST);
        text->failed = text->failed || commit.failed;
        kg_text_free(&commit);
    }
    kg_text_printf(text,
                   ", %zu case%s%s\n\n| case | median of rounds | peak memory | rounds | status |\n"
                   "| :-- | --: | --: | --: | :-- |\n",
                   results->case_count, results->case_count == 1 ? "" : "s",
                   results->complete ? "" : " (incomplete)");
    for (int failed = 1; failed >= 0; failed--) /* what failed comes first */
        for (size_t i = 0; i < results->case_count; i++) {
            if ((results->cases[i].status == KG_STATUS_FAILED) != failed)
                continue;
            if (text->length < room)
                result_row(text, &arena, &results->cases[i]);
            else
                left_out++;
        }
    if (left_out)
        kg_text_printf(text, "\n… and %zu more.\n", left_out);
    kg_text_append(text, "\n");
    kg_text_append(text, kg_text_string(&closing));
    text->failed = text->failed || closing.failed;
    kg_text_free(&closing);
    kg_arena_free(&arena);
}
