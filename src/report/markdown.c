#include <math.h>
#include <string.h>

#include "report/advice.h"
#include "report/cells.h"
#include "report/markdown_words.h"
#include "report/report.h"
#include "util/escape.h"
#include "util/units.h"

/* Characters of a text; escaped, one takes nine bytes at the most. So a row, or a reason with what
 * was written to standard error, stays below ROW_MOST bytes. The closing part is made first and
 * takes no further item from CLOSING_MOST bytes on; what it leaves is the others' room. */
enum {
    ID_MOST = 200,
    REASON_MOST = 300,
    NEXT_MOST = 1000,
    CELL_MOST = 40,
    TAIL_MOST = 300,
    EVIDENCE_MOST = 160,
    ROW_MOST = 12000,
    CLOSING_MOST = 16000
};

/* How long the text may be when a row is begun, for `closing` to fit behind it. */
static size_t room_before(const struct kg_text *closing)
{
    return KG_MARKDOWN_MOST - ROW_MOST - closing->length;
}

static void name(struct kg_text *text, const char *string)
{
    kg_escape_markdown(text, string, ID_MOST);
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

static void headline(const struct kg_comparison *comparison, struct kg_text *text)
{
    static const char *const badges[] = {
        [KG_VERDICT_PASS] = "✅", [KG_VERDICT_FAIL] = "❌", [KG_VERDICT_UNDECIDED] = "🟡"};
    kg_text_printf(text, "**%s kgate %s**: suite ", badges[comparison->verdict],
                   kg_verdict_names[comparison->verdict]);
    name(text, comparison->suite);
    kg_text_append(text, ", ");
    kg_cell_counts(comparison, text);
    kg_text_append(text, "\n");
    for (size_t i = 0; i < comparison->verdict_reason_count; i++) {
        kg_text_append(text, i ? "- " : "\n- ");
        kg_markdown_words(text, comparison->verdict_reasons[i], REASON_MOST);
        kg_text_append(text, "\n");
    }
    if (comparison->next) {
        kg_text_append(text, "\nNext: ");
        kg_markdown_words(text, comparison->next, NEXT_MOST);
        kg_text_append(text, "\n");
    }
}

static bool is_change(const struct kg_case_change *change)
{
    return change->change == KG_CHANGE_FAILED || change->change == KG_CHANGE_REGRESSION ||
           change->change == KG_CHANGE_IMPROVEMENT || change->change == KG_CHANGE_SUSPECT ||
           change->change == KG_CHANGE_INCONCLUSIVE || change->change == KG_CHANGE_REMOVED;
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
static void evidence_print(struct kg_text *text, const struct kg_suggestions *suggestions,
                           const struct kg_case_change *change)
{
    enum { MOST = 2 };
    size_t shown = 0;
    if (!suggestions)
        return;
    for (size_t i = 0; i < suggestions->change_count && shown < MOST; i++) {
        if (strcmp(suggestions->changes[i].operation, change->id) != 0)
            continue;
        kg_text_append(text, "<br>↳ ");
        kg_markdown_words(text, suggestions->changes[i].text, EVIDENCE_MOST);
        shown++;
    }
}

static void change_row(struct kg_text *text, struct kg_arena *arena,
                       const struct kg_suggestions *suggestions,
                       const struct kg_case_change *change)
{
    char time[KG_UNIT_BYTES];
    kg_text_append(text, "| ");
    name(text, change->id);
    if (!is_change(change))
        figures_print(text, kg_cell_figures(arena, change->figures, change->figure_count));
    if (!is_change(change) && change->pairs) /* of changes the list of reasons says it */
        figures_print(text, change->reason);
    if (change->metric_count && change->change != KG_CHANGE_NEW) {
        const struct kg_metric *metric = &change->metrics[0];
        const char *what = kg_cell_metric(arena, metric);
        const char *cells[] = {kg_cell_reference(arena, metric),
                               kg_cell_value(arena, metric, metric->current),
                               kg_cell_change(arena, metric), kg_cell_interval(arena, metric)};
        if (what && *what) {
            kg_text_append(text, "<br>");
            name(text, what);
        }
        evidence_print(text, suggestions, change);
        for (size_t i = 0; i < 4; i++) {
            kg_text_append(text, " | ");
            kg_escape_markdown(text, cells[i] ? cells[i] : "", CELL_MOST);
        }
    } else {
        kg_text_printf(text, " |  | %s |  | ",
                       isfinite(change->time_ns) ? kg_duration_format(change->time_ns, time) : "");
    }
    kg_text_printf(text, " | %s %s%s |\n", symbol(change->change), kg_change_name(change->change),
                   change->not_measured ? ", not measured" : "");
}

/* Rows of one sort, at most `top` of them and none begun from `room` bytes on; says how many were
 * left out. */
static void rows(const struct kg_comparison *comparison, const struct kg_suggestions *suggestions,
                 bool changes, size_t top, size_t room, struct kg_text *text)
{
    struct kg_arena arena = {0};
    size_t shown = 0, left_out = 0;
    kg_text_append(text, "| case | baseline | current | change | 95 % interval | verdict |\n"
                         "| :-- | --: | --: | --: | --: | :-- |\n");
    for (size_t i = 0; i < comparison->case_count; i++) {
        const struct kg_case_change *change = &comparison->cases[i];
        if (is_change(change) != changes)
            continue;
        if ((top && shown == top) || text->length >= room) {
            left_out++;
            continue;
        }
        change_row(text, &arena, suggestions, change);
        shown++;
    }
    const char *estimator = changes ? kg_cell_estimator(comparison) : "";
    if (*estimator)
        kg_text_printf(text, "\n<sub>%s</sub>\n", estimator);
    if (left_out)
        kg_text_printf(text, "\n… and %zu more: they are in comparison.json.\n", left_out);
    kg_arena_free(&arena);
}

/* The last lines that a failed case wrote to standard error. */
static void tail_print(const char *tail, struct kg_text *text)
{
    const size_t length = strlen(tail);
    if (length > TAIL_MOST) {
        tail += length - TAIL_MOST;
        while ((*tail & 0xc0) == 0x80) /* to the next whole character */
            tail++;
    }
    kg_text_append(text, "<br>it wrote last:");
    while (*tail) {
        const size_t line = strcspn(tail, "\n");
        struct kg_text one = {0};
        kg_text_append_bytes(&one, tail, line);
        kg_text_append(text, "<br>");
        kg_escape_markdown(text, kg_text_string(&one), TAIL_MOST);
        kg_text_free(&one);
        tail += line + (tail[line] == '\n');
    }
}

/* Why, for what needs a word: not for every one of ten thousand. */
static void reasons(const struct kg_comparison *comparison, size_t room, struct kg_text *text)
{
    enum { MOST = 20 };
    struct kg_arena arena = {0};
    size_t shown = 0;
    for (size_t i = 0; i < comparison->case_count && shown < MOST && text->length < room; i++) {
        const struct kg_case_change *change = &comparison->cases[i];
        const char *circumstances = is_change(change) ? kg_cell_circumstances(&arena, change) : "";
        const bool any = circumstances && *circumstances;
        if (!is_change(change) || (!change->reason && !any))
            continue;
        kg_text_append(text, shown++ ? "- " : "\n- ");
        name(text, change->id);
        kg_text_append(text, ": ");
        if (any)
            kg_markdown_words(text, circumstances, REASON_MOST);
        if (any && change->reason)
            kg_text_append(text, "; ");
        if (change->reason)
            kg_markdown_words(text, change->reason, REASON_MOST);
        if (change->stderr_tail)
            tail_print(change->stderr_tail, text);
        kg_text_append(text, "\n");
    }
    kg_arena_free(&arena);
}

static void machine_print(const struct kg_machine *machine, struct kg_text *text)
{
    char memory[KG_UNIT_BYTES];
    kg_text_append(text, "- machine: ");
    name(text, machine->cpu_model);
    kg_text_printf(text, ", %llu CPUs, %s, ", (unsigned long long)machine->cpu_count,
                   kg_size_format((double)machine->memory_bytes, memory));
    for (size_t i = 0; i < machine->gpu_count && text->length < CLOSING_MOST; i++) {
        name(text, machine->gpus[i].name);
        kg_text_append(text, ", ");
    }
    if (machine->gpu_count && machine->nvidia_driver) {
        kg_text_append(text, "NVIDIA driver ");
        name(text, machine->nvidia_driver);
        kg_text_append(text, ", ");
    }
    kg_text_append(text, "fingerprint ");
    name(text, machine->fingerprint);
    kg_text_append(text, "\n");
}

static bool any_pair(const struct kg_comparison *comparison)
{
    for (size_t i = 0; i < comparison->case_count; i++)
        for (size_t m = 0; m < comparison->cases[i].metric_count; m++)
            if (kg_metric_against(&comparison->cases[i].metrics[m]) == KG_AGAINST_BASE)
                return true;
    return false;
}

/* The rate holds where what runs of the same code differ by is known, or does not matter: of
 * several stored runs, and of pairs. */
static void alarms_print(const struct kg_comparison *comparison, struct kg_text *text)
{
    if (comparison->baseline_runs == 1 && !any_pair(comparison))
        kg_text_append(text,
                       "with one stored run the rate of false alarms is not known, since runs "
                       "of the same code differ\n");
    else
        kg_text_printf(text, "at most %g %% false alarms a run\n", 100 * comparison->policy.alpha);
}

static void closing_print(const struct kg_comparison *comparison, struct kg_text *text)
{
    const char *separator = " ";
    /* profiles know of no machine, and can be of several */
    const bool machine = comparison->machine.cpu_count > 0 || *comparison->machine.cpu_model;
    kg_text_printf(text, "\n<details><summary>%s</summary>\n\n",
                   machine ? "Machine and policy" : "Policy");
    if (machine)
        machine_print(&comparison->machine, text);
    kg_text_append(text, "- policy: fails on");
    for (int c = 0; c < KG_CHANGE_COUNT; c++)
        if (comparison->policy.fail_on & 1u << c) {
            kg_text_printf(text, "%s%s", separator, kg_change_names[c]);
            separator = ", ";
        }
    kg_text_printf(text, "; what is undecided %s",
                   comparison->policy.undecided == KG_UNDECIDED_PASS   ? "passes"
                   : comparison->policy.undecided == KG_UNDECIDED_FAIL ? "fails"
                                                                       : "is reported");
    kg_text_printf(text, "; a missing device is %s; ",
                   comparison->policy.missing_device == KG_MISSING_FAIL        ? "a failure"
                   : comparison->policy.missing_device == KG_MISSING_UNDECIDED ? "undecided"
                                                                               : "skipped");
    alarms_print(comparison, text);
    kg_text_printf(text, "- baseline: %zu run%s", comparison->baseline_runs,
                   comparison->baseline_runs == 1 ? "" : "s");
    if (comparison->baseline_created) {
        kg_text_append(text, ", the newest of ");
        name(text, comparison->baseline_created);
    }
    for (size_t i = 0; i < comparison->pin_count && text->length < CLOSING_MOST; i++) {
        kg_text_append(text, i ? ", " : "; pinned: ");
        name(text, comparison->pins[i]);
    }
    kg_text_append(text, "\n");
    for (size_t i = 0; i < comparison->note_count && text->length < CLOSING_MOST; i++) {
        kg_text_append(text, "- ");
        kg_markdown_words(text, comparison->notes[i], REASON_MOST);
        kg_text_append(text, "\n");
    }
    kg_text_append(text, "- kgate ");
    name(text, comparison->kgate_version);
    kg_text_append(text, ", ");
    name(text, comparison->created);
    kg_text_append(text, "\n\n</details>\n");
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
    size_t changed = 0;
    for (size_t i = 0; i < comparison->case_count; i++)
        changed += is_change(&comparison->cases[i]);
    closing_print(comparison, &closing);
    const size_t room = room_before(&closing);
    headline(comparison, text);
    if (changed) {
        /* why the worst changed is worth more than the three hundredth row */
        kg_text_append(text, "\n");
        rows(comparison, suggestions, true, top, room / 4 * 3, text);
        reasons(comparison, room, text);
    }
    suggestions_print(suggestions, room, text);
    if (changed < comparison->case_count) {
        kg_text_printf(text, "\n<details><summary>%zu other case%s</summary>\n\n",
                       comparison->case_count - changed,
                       comparison->case_count - changed == 1 ? "" : "s");
        rows(comparison, suggestions, false, 0, room, text);
        kg_text_append(text, "\n</details>\n");
    }
    kg_text_append(text, kg_text_string(&closing));
    text->failed = text->failed || closing.failed;
    kg_text_free(&closing);
}

static void result_row(struct kg_text *text, struct kg_arena *arena,
                       const struct kg_case_result *result)
{
    char time[KG_UNIT_BYTES], memory[KG_UNIT_BYTES];
    kg_text_append(text, "| ");
    name(text, result->id);
    figures_print(text, kg_cell_reported(arena, result));
    kg_text_printf(text, " | %s | %s | %zu | %s",
                   kg_duration_format(result->summary.median_ns, time),
                   kg_size_format((double)result->memory.peak_bytes, memory), result->round_count,
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
    machine_print(&results->machine, &closing);
    const size_t room = room_before(&closing);
    kg_text_append(text, "**kgate results**: suite ");
    name(text, results->suite);
    kg_text_printf(text,
                   ", %zu cases%s\n\n| case | median of rounds | peak memory | rounds | status |\n"
                   "| :-- | --: | --: | --: | :-- |\n",
                   results->case_count, results->complete ? "" : " (incomplete)");
    for (size_t i = 0; i < results->case_count; i++) {
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
