/* page_summary_results.c: what a page says without a script of files without a comparison. */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "judge/budget_results.h"
#include "show/page_summary.h"
#include "show/page_words.h"

enum { ROWS_MOST = 200 };

static void rest_print(size_t count, size_t shown, const char *noun, struct kg_text *text)
{
    if (count > shown)
        kg_text_printf(text, "<p>And %zu more %s%s.</p>\n", count - shown, noun,
                       count - shown == 1 ? "" : "s");
}

/* --- Results ------------------------------------------------------------------------------------ */

enum { CASE, STATUS, MEDIAN, INTERVAL, PEAK, ROUNDS, REASON, HEADS };

/* What failed first, then what misses a budget. */
static int severity(const struct kg_case_result *result, const struct kg_held *held)
{
    return result->status == KG_STATUS_FAILED ? 0
           : held && held->missed             ? 1
           : result->status != KG_STATUS_OK   ? 2
                                              : 3;
}

static const char *reason_of(const struct kg_case_result *result, const struct kg_held *held)
{
    return result->reason ? result->reason : held ? held->reason : NULL;
}

static void result_row(const struct kg_html_head *heads, const struct kg_case_result *result,
                       const struct kg_held *held, struct kg_text *text)
{
    char time[KG_UNIT_BYTES], low[KG_UNIT_BYTES], high[KG_UNIT_BYTES], peak[KG_UNIT_BYTES];
    char interval[2 * KG_UNIT_BYTES + 8] = "", rounds[24];
    const struct kg_summary *summary = &result->summary;
    const bool measured = isfinite(summary->median_ns);
    const double bytes = kg_case_peak_bytes(result);
    if (measured && isfinite(summary->interval_low_ns))
        snprintf(interval, sizeof interval, "%s … %s",
                 kg_duration_format(summary->interval_low_ns, low),
                 kg_duration_format(summary->interval_high_ns, high));
    snprintf(rounds, sizeof rounds, "%zu", result->round_count);
    kg_html_row_begin(text, result->id);
    kg_html_cell(text, &heads[STATUS], kg_status_names[result->status]);
    kg_html_cell(text, &heads[MEDIAN],
                 measured ? kg_duration_format(summary->median_ns, time) : "");
    kg_html_cell(text, &heads[INTERVAL], interval);
    kg_html_cell(text, &heads[PEAK], bytes > 0 ? kg_size_format(bytes, peak) : "");
    kg_html_cell(text, &heads[ROUNDS], rounds);
    kg_html_cell(text, &heads[REASON], reason_of(result, held));
    kg_html_row_end(text);
}

static void results_table(const struct kg_results *results, const struct kg_held *held,
                          size_t measured, struct kg_text *text)
{
    struct kg_html_head heads[HEADS] = {
        [CASE] = {"case", NULL},
        [MEDIAN] = {"median of rounds", "numeric"},
        [INTERVAL] = {"95 % interval", "numeric"},
        [PEAK] = {"peak memory", "numeric"},
        [ROUNDS] = {"rounds", "numeric"},
    };
    size_t shown = 0;
    for (size_t i = 0; i < results->case_count && !heads[REASON].name; i++)
        if (reason_of(&results->cases[i], held ? &held[i] : NULL))
            heads[REASON] = (struct kg_html_head){"reason", "why"};
    if (measured < results->case_count)
        heads[STATUS].name = "status";
    kg_html_section(text, "statistics", "All cases");
    kg_html_table_begin(text, "All cases", heads, HEADS);
    for (int rank = 0; rank < 4; rank++)
        for (size_t i = 0; i < results->case_count && shown < ROWS_MOST; i++)
            if (severity(&results->cases[i], held ? &held[i] : NULL) == rank) {
                result_row(heads, &results->cases[i], held ? &held[i] : NULL, text);
                shown++;
            }
    kg_html_table_end(text);
    rest_print(results->case_count, shown, "case", text);
    kg_text_append(text, "</section>\n");
}

static void budgets_print(const struct kg_results *results, const struct kg_held *held,
                          struct kg_text *text)
{
    struct kg_held sum = {0};
    for (size_t i = 0; held && i < results->case_count; i++) {
        sum.count += held[i].count;
        sum.missed += held[i].missed;
        sum.unknown += held[i].unknown;
    }
    if (!sum.count)
        return;
    kg_text_printf(text, "<p>Budgets: %zu met, %zu missed", sum.count - sum.missed - sum.unknown,
                   sum.missed);
    if (sum.unknown)
        kg_text_printf(text, ", %zu unknown", sum.unknown);
    kg_text_append(text, ".</p>\n");
}

static void lead_print(const struct kg_results *results, size_t measured, struct kg_text *text)
{
    char moment[KG_HTML_MOMENT_BYTES];
    kg_text_append(text, "<p class=\"lead\">");
    if (measured < results->case_count)
        kg_text_printf(text, "%zu of ", measured);
    kg_text_printf(text, "%zu case%s measured on ", results->case_count,
                   results->case_count == 1 ? "" : "s");
    kg_html_words(text, kg_html_moment(results->created, moment));
    kg_text_append(text, "; compared with nothing.</p>\n");
    if (!results->complete)
        kg_text_append(text, "<p>The run was interrupted: later cases are missing.</p>\n");
}

static void results_print(const struct kg_results *results, struct kg_text *text)
{
    struct kg_arena arena = {0};
    struct kg_held *held = NULL;
    size_t measured = 0;
    if (!kg_budgets_held(&arena, results, &held))
        text->failed = true;
    for (size_t i = 0; i < results->case_count; i++)
        measured += results->cases[i].status == KG_STATUS_OK;
    kg_html_section(text, "verdict", "Results");
    lead_print(results, measured, text);
    if (results->no_profile) {
        kg_text_append(text, "<p>Nothing was recorded: ");
        kg_html_words(text, results->no_profile);
        kg_text_append(text, "</p>\n");
    }
    budgets_print(results, held, text);
    kg_html_facts_begin(text);
    kg_html_fact(text, "Suite", results->suite);
    kg_html_side(text, "Measured",
                 &(struct kg_html_side){.commit = results->commit,
                                        .branch = results->branch,
                                        .created = results->created});
    kg_html_machine(text, &results->machine);
    kg_html_facts_end(text);
    kg_text_append(text, "</section>\n");
    if (results->case_count)
        results_table(results, held, measured, text);
    kg_arena_free(&arena);
}

/* --- Baselines ---------------------------------------------------------------------------------- */

static void baseline_print(const struct kg_baseline *baseline, struct kg_text *text)
{
    static const struct kg_html_head heads[] = {{"run", NULL},    {"suite", NULL},
                                                {"pin", NULL},    {"commit", NULL},
                                                {"branch", NULL}, {"cases", "numeric"}};
    size_t shown = 0;
    kg_html_section(text, "verdict", "Stored runs");
    kg_text_printf(text, "<p class=\"lead\">%zu stored run%s.</p>\n", baseline->run_count,
                   baseline->run_count == 1 ? "" : "s");
    kg_html_facts_begin(text);
    kg_html_machine(text, &baseline->machine);
    kg_html_facts_end(text);
    kg_html_table_begin(text, "Stored runs", heads, sizeof heads / sizeof *heads);
    for (; shown < baseline->run_count && shown < ROWS_MOST; shown++) {
        const struct kg_baseline_run *run = &baseline->runs[baseline->run_count - 1 - shown];
        char moment[KG_HTML_MOMENT_BYTES], count[24];
        snprintf(count, sizeof count, "%zu", run->case_count);
        kg_html_row_begin(text, kg_html_moment(run->created, moment));
        kg_html_cell(text, &heads[1], run->suite);
        kg_html_cell(text, &heads[2], run->pin);
        kg_html_cell(text, &heads[3], run->commit);
        kg_html_cell(text, &heads[4], run->branch);
        kg_html_cell(text, &heads[5], count);
        kg_html_row_end(text);
    }
    kg_html_table_end(text);
    rest_print(baseline->run_count, shown, "run", text);
    kg_text_append(text, "</section>\n");
}

/* --- Calibrations and suggestions ---------------------------------------------------------------- */

static const char *percent(double share, char *buffer, size_t size)
{
    snprintf(buffer, size, isnan(share) ? "–" : "%.1f %%", 100 * share);
    return buffer;
}

static void calibrated_row(const struct kg_html_head *heads,
                           const struct kg_calibration *calibration,
                           const struct kg_calibrated_case *one, struct kg_text *text)
{
    char cell[48];
    kg_html_row_begin(text, one->id);
    kg_html_cell(text, &heads[1], percent(one->run_scatter, cell, sizeof cell));
    kg_html_cell(text, &heads[2], percent(one->round_scatter, cell, sizeof cell));
    snprintf(cell, sizeof cell, "%zu of %zu", one->alarms, calibration->pairs);
    kg_html_cell(text, &heads[3], cell);
    snprintf(cell, sizeof cell, "%zu of %zu", one->doubts, calibration->pairs);
    kg_html_cell(text, &heads[4], cell);
    kg_html_cell(text, &heads[5],
                 isnan(one->caught) ? "> 50 %" : percent(one->caught, cell, sizeof cell));
    kg_html_cell(text, &heads[6], one->advice);
    kg_html_row_end(text);
}

static void calibration_print(const struct kg_calibration *calibration, struct kg_text *text)
{
    static const struct kg_html_head heads[] = {
        {"case", NULL},        {"runs differ", "numeric"}, {"rounds differ", "numeric"},
        {"alarms", "numeric"}, {"doubts", "numeric"},      {"catches", "numeric"},
        {"advice", "why"}};
    size_t shown = 0;
    kg_html_section(text, "verdict", "Calibration");
    kg_text_printf(
        text,
        "<p class=\"lead\">%zu runs of the same code: the gate alarmed in %zu of %zu pairs of "
        "runs, and in %zu of %zu runs against all others.</p>\n",
        calibration->runs, calibration->alarmed_pairs, calibration->pairs,
        calibration->alarmed_runs, calibration->runs);
    kg_html_facts_begin(text);
    kg_html_fact(text, "Suite", calibration->suite);
    kg_html_side(text, "Measured", &(struct kg_html_side){.created = calibration->created});
    kg_html_machine(text, &calibration->machine);
    kg_html_facts_end(text);
    kg_html_table_begin(text, "Calibrated cases", heads, sizeof heads / sizeof *heads);
    for (; shown < calibration->case_count && shown < ROWS_MOST; shown++)
        calibrated_row(heads, calibration, &calibration->cases[shown], text);
    kg_html_table_end(text);
    rest_print(calibration->case_count, shown, "case", text);
    kg_text_append(text, "</section>\n");
}

static void suggestions_print(const struct kg_suggestions *suggestions, struct kg_text *text)
{
    static const struct kg_html_head heads[] = {
        {"operation", NULL}, {"priority", NULL}, {"cause", "why"}, {"what to do", "why"}};
    size_t shown = 0;
    kg_html_section(text, "verdict", "Suggestions");
    kg_text_printf(text, "<p class=\"lead\">%zu suggestion%s.</p>\n", suggestions->suggestion_count,
                   suggestions->suggestion_count == 1 ? "" : "s");
    kg_html_table_begin(text, "Suggestions", heads, sizeof heads / sizeof *heads);
    for (; shown < suggestions->suggestion_count && shown < ROWS_MOST; shown++) {
        const struct kg_suggestion *one = &suggestions->suggestions[shown];
        kg_html_row_begin(text, one->operation);
        kg_html_cell(text, &heads[1], kg_priority_names[one->priority]);
        kg_html_cell(text, &heads[2], one->description);
        kg_html_cell(text, &heads[3], one->hint);
        kg_html_row_end(text);
    }
    kg_html_table_end(text);
    rest_print(suggestions->suggestion_count, shown, "suggestion", text);
    kg_text_append(text, "</section>\n");
}

void kg_page_summary_others(const struct kg_report_subject *subject, struct kg_text *text)
{
    if (subject->results)
        results_print(subject->results, text);
    else if (subject->baseline)
        baseline_print(subject->baseline, text);
    else if (subject->calibration)
        calibration_print(subject->calibration, text);
    else if (subject->suggestions)
        suggestions_print(subject->suggestions, text);
    else
        kg_text_append(text, "<h2>Profile</h2>\n<p class=\"lead\">A recording. <code>kgate "
                             "report</code> of its file "
                             "prints the scopes as text.</p>\n");
}
