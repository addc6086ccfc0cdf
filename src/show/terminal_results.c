/* What was measured, for a terminal. */
#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "base/units.h"
#include "base/wrap.h"
#include "model/throttle.h"
#include "show/cells.h"
#include "show/report.h"
#include "show/results_table.h"
#include "show/terminal_parts.h"

static void tails_print(const struct kg_results *results, struct kg_text *text)
{
    for (size_t i = 0; i < results->case_count; i++) {
        const struct kg_case_result *result = &results->cases[i];
        if (result->status == KG_STATUS_FAILED && result->stderr_tail)
            kg_terminal_tail(result->id, result->stderr_tail, text);
    }
}

static void note_print(const char *first, const char *note, const struct kg_report_style *style,
                       struct kg_text *text)
{
    if (note)
        kg_terminal_sentence(text, first, note, KG_TERMINAL_REASON_MOST, style->width);
}

/* What the rates' shares are of. */
static void ceilings_print(const struct kg_ceilings *ceilings, const struct kg_report_style *style,
                           struct kg_text *text)
{
    const struct {
        const char *what;
        double rate;
        const char *unit;
    } figures[] = {{"copies", ceilings->copy_bytes_per_s, "B/s"},
                   {"multiply-adds", ceilings->fma_flops_per_s, "FLOP/s"},
                   {"tensor cores", ceilings->tensor_flops_per_s, "FLOP/s"}};
    struct kg_text words = {0};
    char rate[KG_UNIT_BYTES];
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        if (isfinite(figures[i].rate))
            kg_text_printf(&words, "%s%s %s%s", words.length ? ", " : "", figures[i].what,
                           kg_rate_format(figures[i].rate, rate), figures[i].unit);
    }
    if (words.length && ceilings->tensor_by)
        kg_text_printf(&words, " (%s)", ceilings->tensor_by);
    if (words.length)
        note_print("GPU, at the most: ", kg_text_string(&words), style, text);
    note_print("note: ", ceilings->note, style, text);
    note_print("GPU, at the most: not known: ", ceilings->reason, style, text);
    text->failed = text->failed || words.failed;
    kg_text_free(&words);
}

/* What disturbed the GPU meanwhile. */
static void conditions_print(const struct kg_results *results, const struct kg_report_style *style,
                             struct kg_text *text)
{
    char words[2][KG_CONDITION_WORDS];
    const struct kg_gpu_conditions conditions = kg_gpu_conditions(results);
    kg_gpu_conditions_words(&conditions, words[0], words[1], KG_CONDITION_WORDS);
    for (int i = 0; i < 2; i++)
        if (*words[i])
            note_print("note: ", words[i], style, text);
}

/* "budgets: 40 held, 1 missed, 2 unknown" */
static void budgets_print(const struct kg_results *results, const struct kg_held *held,
                          struct kg_text *text)
{
    size_t count = 0, missed = 0, unknown = 0;
    for (size_t i = 0; i < results->case_count; i++) {
        count += held[i].count;
        missed += held[i].missed;
        unknown += held[i].unknown;
    }
    if (!count)
        return;
    kg_text_printf(text, "budgets: %zu held", count - missed - unknown);
    if (missed)
        kg_text_printf(text, ", %zu missed", missed);
    if (unknown)
        kg_text_printf(text, ", %zu unknown", unknown);
    kg_text_append(text, "\n");
}

/* The version that was measured. */
static void commit_print(const struct kg_results *results, const struct kg_report_style *style,
                         struct kg_text *text)
{
    struct kg_text words = {0};
    kg_cell_commit(results->commit, results->branch, &words);
    if (!style->quiet)
        note_print("commit: ", words.length ? kg_text_string(&words) : NULL, style, text);
    text->failed = text->failed || words.failed;
    kg_text_free(&words);
}

static void profile_print(const char *path, const struct kg_report_style *style,
                          struct kg_text *text)
{
    enum { PATH_MOST = 200 };
    struct kg_text words = {0};
    kg_escape_terminal(&words, path, PATH_MOST);
    kg_text_append(&words, " (`kgate report` of it, --format tree, trace, folded, ...)");
    kg_wrap(text, "profile: ", kg_text_string(&words), style->width);
    text->failed = text->failed || words.failed;
    kg_text_free(&words);
}

void kg_report_results_text(const struct kg_results *results, const struct kg_report_style *style,
                            struct kg_text *text)
{
    char measured[KG_UNIT_BYTES], elapsed[KG_UNIT_BYTES];
    struct kg_arena arena = {0};
    struct kg_held *held;
    struct kg_table table = {.indent = 2, .id_most = style->id_most, .width = style->width};
    if (!kg_budgets_held(&arena, results, &held)) {
        kg_arena_free(&arena);
        text->failed = true;
        return;
    }
    if (kg_report_results_table(results, held, style, &table) && table.row_count)
        kg_table_print(&table, style->colour, text);
    text->failed = text->failed || table.failed;
    kg_table_free(&table);
    tails_print(results, text);
    kg_text_printf(text, "\n%zu case%s, %s measured in %s%s\n", results->case_count,
                   results->case_count == 1 ? "" : "s",
                   kg_duration_format(results->measured_ns, measured),
                   kg_duration_format(results->elapsed_ns, elapsed),
                   results->complete ? "" : "; incomplete: the run was interrupted");
    commit_print(results, style, text);
    budgets_print(results, held, text);
    kg_arena_free(&arena);
    ceilings_print(&results->ceilings, style, text);
    conditions_print(results, style, text);
    note_print("note: ", results->start_note, style, text);
    note_print("note: what was seen of the cases is not kept for the next run: ", results->not_kept,
               style, text);
    note_print("note: nothing was recorded: ", results->no_profile, style, text);
    if (results->profile)
        profile_print(results->profile, style, text);
}
