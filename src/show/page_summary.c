#include "show/page_summary.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "show/cells.h"
#include "show/page_words.h"

enum { ROWS_MOST = 200, REASONS_MOST = 20 };

/* As VERDICTS of html/verdicts.js. */
static const struct {
    const char *sign, *word, *colour;
} verdicts[KG_CHANGE_COUNT] = {
    [KG_CHANGE_FAILED] = {"✕", "failed", "failed"},
    [KG_CHANGE_REGRESSION] = {"▲", "regression", "worse"},
    [KG_CHANGE_SUSPECT] = {"?", "suspect", "doubt"},
    [KG_CHANGE_INCONCLUSIVE] = {"~", "inconclusive", "doubt"},
    [KG_CHANGE_IMPROVEMENT] = {"▼", "improvement", "better"},
    [KG_CHANGE_NEW] = {"+", "new", "other"},
    [KG_CHANGE_REMOVED] = {"−", "removed", "other"},
    [KG_CHANGE_SKIPPED] = {"○", "skipped", "other"},
    [KG_CHANGE_NO_CHANGE] = {"=", "no change", "same"},
};

static const enum kg_change order[] = {
    KG_CHANGE_FAILED,       KG_CHANGE_REGRESSION,  KG_CHANGE_SUSPECT,
    KG_CHANGE_INCONCLUSIVE, KG_CHANGE_IMPROVEMENT, KG_CHANGE_NEW,
    KG_CHANGE_REMOVED,      KG_CHANGE_SKIPPED,     KG_CHANGE_NO_CHANGE,
};

static const char *const waivers[KG_WAIVER_KINDS] = {[KG_WAIVER_NONE] = "",
                                                     [KG_WAIVER_ACCEPTED] = ", accepted",
                                                     [KG_WAIVER_QUARANTINED] = ", in quarantine",
                                                     [KG_WAIVER_UNTRUSTED] = ", not judged"};

static void badge_append(enum kg_change change, enum kg_waiver_kind waived, struct kg_text *text)
{
    struct kg_text word = {0};
    kg_text_printf(&word, "%s%s", verdicts[change].word, waivers[waived]);
    kg_html_badge(text, verdicts[change].sign, kg_text_string(&word),
                  waived ? "other" : verdicts[change].colour);
    text->failed = text->failed || word.failed;
    kg_text_free(&word);
}

/* How many cases of each change and waiver there are from case number `first` on. */
struct counts {
    size_t of[KG_CHANGE_COUNT][KG_WAIVER_KINDS];
};

static struct counts counts_of(const struct kg_comparison *comparison, size_t first)
{
    struct counts counts = {0};
    for (size_t i = first; i < comparison->case_count; i++)
        counts.of[comparison->cases[i].change][comparison->cases[i].waived]++;
    return counts;
}

static void counts_print(const struct kg_comparison *comparison, struct kg_text *text)
{
    const struct counts counts = counts_of(comparison, 0);
    if (!comparison->case_count)
        return;
    kg_text_append(text, "<ul class=\"counts\" aria-label=\"Cases by verdict\">\n");
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        for (int waived = 0; waived < KG_WAIVER_KINDS; waived++) {
            if (!counts.of[order[i]][waived])
                continue;
            kg_text_printf(text, "<li><strong>%zu</strong> ", counts.of[order[i]][waived]);
            badge_append(order[i], (enum kg_waiver_kind)waived, text);
            kg_text_append(text, "</li>\n");
        }
    kg_text_append(text, "</ul>\n");
}

static void lead_print(const struct kg_comparison *comparison, struct kg_text *text)
{
    static const struct {
        const char *class, *sign;
    } looks[] = {[KG_VERDICT_PASS] = {"pass", "✓"},
                 [KG_VERDICT_FAIL] = {"fail", "✕"},
                 [KG_VERDICT_UNDECIDED] = {"undecided", "?"}};
    kg_text_printf(text, "<p class=\"lead verdict %s\"><span aria-hidden=\"true\">%s </span>%s",
                   looks[comparison->verdict].class, looks[comparison->verdict].sign,
                   kg_verdict_names[comparison->verdict]);
    if (comparison->verdict_reason_count) {
        kg_text_append(text, ": ");
        kg_html_words(text, comparison->verdict_reasons[0]);
    }
    kg_text_append(text, "</p>\n");
}

static bool has_figures(const struct kg_case_change *change)
{
    return change->metric_count && change->change != KG_CHANGE_NEW;
}

/* The first case that the policy fails on, or else the first of all. */
static void worst_print(const struct kg_comparison *comparison, struct kg_arena *arena,
                        struct kg_text *text)
{
    const struct kg_case_change *worst = comparison->case_count ? comparison->cases : NULL;
    for (size_t i = comparison->case_count; i-- > 0;)
        if (comparison->cases[i].fails)
            worst = &comparison->cases[i];
    if (!worst)
        return;
    kg_text_append(text, worst->change == KG_CHANGE_IMPROVEMENT ? "<p>Largest change: <strong>"
                                                                : "<p>Worst: <strong>");
    kg_html_words(text, worst->id);
    kg_text_append(text, "</strong> ");
    badge_append(worst->change, worst->waived, text);
    if (has_figures(worst) && isfinite(worst->metrics[0].ratio) &&
        kg_metric_against(&worst->metrics[0]) != KG_AGAINST_BUDGET) {
        const struct kg_metric *metric = &worst->metrics[0];
        const char *interval = kg_cell_interval(arena, metric);
        kg_text_append(text, " ");
        kg_html_words(text, metric->name);
        kg_text_printf(
            text, ": %s → %s, <strong>%s</strong>", kg_cell_value(arena, metric, metric->baseline),
            kg_cell_value(arena, metric, metric->current), kg_cell_change(arena, metric));
        kg_text_printf(text, interval && *interval ? " (95 %% interval %s)." : ".", interval);
    } else {
        kg_text_append(text, " ");
        kg_html_words(text, worst->reason);
    }
    kg_text_append(text, "</p>\n");
}

static void list_print(const char *const *items, size_t count, struct kg_text *text)
{
    if (!count)
        return;
    kg_text_append(text, "<ul>\n");
    for (size_t i = 0; i < count && i < REASONS_MOST; i++)
        kg_html_element(text, "li", items[i]);
    if (count > REASONS_MOST)
        kg_text_printf(text, "<li>and %zu more</li>\n", count - REASONS_MOST);
    kg_text_append(text, "</ul>\n");
}

static void sides_print(const struct kg_comparison *comparison, struct kg_text *text)
{
    struct kg_text more = {0};
    if (comparison->baseline_runs > 1)
        kg_text_printf(&more, "newest of %zu stored runs", comparison->baseline_runs);
    kg_html_facts_begin(text);
    kg_html_side(text, "Candidate",
                 &(struct kg_html_side){.given = comparison->head,
                                        .commit = comparison->commit,
                                        .branch = comparison->branch,
                                        .created = comparison->created});
    kg_html_side(text, "Baseline",
                 &(struct kg_html_side){.given = comparison->base,
                                        .commit = comparison->baseline_commit,
                                        .branch = comparison->baseline_branch,
                                        .created = comparison->baseline_created,
                                        .more = more.length ? kg_text_string(&more) : NULL});
    kg_html_machine(text, &comparison->machine);
    kg_html_facts_end(text);
    text->failed = text->failed || more.failed;
    kg_text_free(&more);
}

static void trust_print(const struct kg_comparison *comparison, struct kg_text *text)
{
    if (!comparison->trust)
        return;
    kg_text_append(text, "<p>Suite and thresholds: ");
    kg_html_words(text, comparison->trust);
    kg_text_append(text, comparison->edit_count ? ". This change edits:</p>\n" : ".</p>\n");
    list_print(comparison->edits, comparison->edit_count, text);
}

/* --- The table ---------------------------------------------------------------------------------- */

enum { CASE, VERDICT, CHANGE, INTERVAL, BASELINE, CANDIDATE, REASON, HEADS };
static const struct kg_html_head heads[HEADS] = {
    [CASE] = {"case", NULL},
    [VERDICT] = {"verdict", NULL},
    [CHANGE] = {"change", "numeric"},
    [INTERVAL] = {"95 % interval", "numeric"},
    [BASELINE] = {"baseline", "numeric"},
    [CANDIDATE] = {"candidate", "numeric"},
    [REASON] = {"reason", "why"},
};

static void verdict_cell(const struct kg_case_change *change, struct kg_text *text)
{
    kg_text_append(text, "<td>");
    badge_append(change->change, change->waived, text);
    kg_html_element(text, "div class=\"waiver\"", change->waiver);
    kg_text_append(text, "</td>");
}

static void reason_cell(const struct kg_case_change *change, struct kg_arena *arena,
                        struct kg_text *text)
{
    const char *const parts[] = {kg_cell_circumstances(arena, change), change->reason};
    struct kg_text words = {0};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i] && *parts[i])
            kg_text_printf(&words, "%s%s", words.length ? "; " : "", parts[i]);
    kg_html_cell(text, &heads[REASON], kg_text_string(&words));
    text->failed = text->failed || words.failed;
    kg_text_free(&words);
}

static void row_print(const struct kg_case_change *change, struct kg_arena *arena,
                      struct kg_text *text)
{
    const struct kg_metric *metric = has_figures(change) ? &change->metrics[0] : NULL;
    char time[KG_UNIT_BYTES];
    const char *alone = isfinite(change->time_ns) ? kg_duration_format(change->time_ns, time) : "";
    kg_html_row_begin(text, change->id);
    verdict_cell(change, text);
    kg_html_cell(text, &heads[CHANGE], metric ? kg_cell_change(arena, metric) : "");
    kg_html_cell(text, &heads[INTERVAL], metric ? kg_cell_interval(arena, metric) : "");
    kg_html_cell(text, &heads[BASELINE], metric ? kg_cell_reference(arena, metric) : "");
    kg_html_cell(text, &heads[CANDIDATE],
                 metric ? kg_cell_value(arena, metric, metric->current) : alone);
    reason_cell(change, arena, text);
    kg_html_row_end(text);
}

/* "9,800 more cases: 9,800 no change" */
static void rest_print(const struct kg_comparison *comparison, size_t first, struct kg_text *text)
{
    const struct counts counts = counts_of(comparison, first);
    const char *separator = ": ";
    if (first >= comparison->case_count)
        return;
    kg_text_printf(text, "<p>And %zu more cases", comparison->case_count - first);
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        for (int waived = 0; waived < KG_WAIVER_KINDS; waived++)
            if (counts.of[order[i]][waived]) {
                kg_text_printf(text, "%s%zu %s%s", separator, counts.of[order[i]][waived],
                               verdicts[order[i]].word, waivers[waived]);
                separator = ", ";
            }
    kg_text_append(text, ". The cases above are the worst.</p>\n");
}

static void comparison_print(const struct kg_comparison *comparison, struct kg_text *text)
{
    struct kg_arena arena = {0};
    size_t shown = 0;
    kg_html_section(text, "verdict", "Verdict");
    lead_print(comparison, text);
    counts_print(comparison, text);
    worst_print(comparison, &arena, text);
    if (comparison->verdict_reason_count > 1)
        list_print(comparison->verdict_reasons + 1, comparison->verdict_reason_count - 1, text);
    sides_print(comparison, text);
    trust_print(comparison, text);
    if (comparison->next) {
        kg_text_append(text, "<p>Next: ");
        kg_html_words(text, comparison->next);
        kg_text_append(text, "</p>\n");
    }
    if (comparison->note_count) {
        kg_text_printf(text, "<details class=\"notes\"><summary>Notes: %zu</summary>\n",
                       comparison->note_count);
        list_print(comparison->notes, comparison->note_count, text);
        kg_text_append(text, "</details>\n");
    }
    kg_text_append(text, "</section>\n");
    if (comparison->case_count) {
        kg_html_section(text, "statistics", "All cases");
        kg_html_table_begin(text, "All cases", heads, HEADS);
        for (; shown < comparison->case_count && shown < ROWS_MOST; shown++)
            row_print(&comparison->cases[shown], &arena, text);
        kg_html_table_end(text);
        rest_print(comparison, shown, text);
        kg_text_append(text, "</section>\n");
    }
    kg_arena_free(&arena);
}

/* --- Which of the files ------------------------------------------------------------------------- */

int kg_page_summary_rank(const struct kg_report_subject *subject)
{
    return subject->comparison    ? 6
           : subject->results     ? 5
           : subject->baseline    ? 4
           : subject->calibration ? 3
           : subject->suggestions ? 2
           : subject->source.scan ? 1
                                  : 0;
}

const char *kg_page_summary_created(const struct kg_report_subject *subject)
{
    return subject->comparison ? subject->comparison->created
           : subject->results  ? subject->results->created
                               : NULL;
}

void kg_page_summary(const struct kg_report_subject *subject, struct kg_text *text)
{
    if (subject->comparison)
        comparison_print(subject->comparison, text);
    else
        kg_page_summary_others(subject, text);
    kg_text_append(text, "<p>This is the report without its charts, search and suggestions: they "
                         "need a browser that runs the script in this file.</p>\n");
}
