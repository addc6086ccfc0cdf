/* results_document.c: the measured cases as a table, the budgets, and the conditions of the run. */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "model/disturbance.h"
#include "model/throttle.h"
#include "show/advice_text.h"
#include "show/cells.h"
#include "show/columns.h"
#include "show/document.h"
#include "show/format_parts.h"
#include "show/terminal_parts.h"

/* --- The table -------------------------------------------------------------------------------- */

/* The table and the inputs of its rows. */
struct result_table {
    const struct kg_results *results;
    const struct kg_held *held; /* budget results, one per case */
    const struct kg_columns *columns;
    struct kg_table *table;
    const char *skipped; /* last printed reason of a skipped case */
    bool verbose;
};

/* Whether the row above already has the reason of a skipped case: a hundred skipped cases print it once. */
static bool skipped_note(struct result_table *how, const struct kg_case_result *result)
{
    if (result->status != KG_STATUS_SKIPPED || !result->reason)
        return false;
    const bool noted = how->skipped && !strcmp(how->skipped, result->reason);
    how->skipped = result->reason;
    return noted;
}

/* Adds the reason, note or disturbance of the case, and its budget result. A verbose report adds the workload's own
 * figures. */
static void under_add(const struct result_table *how, const struct kg_column_subject *subject,
                      struct kg_table_row *row)
{
    const struct kg_case_result *result = subject->result;
    const struct kg_disturbance found = kg_disturbance_of(result);
    char words[KG_DISTURBANCE_WORDS];
    kg_disturbance_words(&found, words);
    kg_row_under(how->table, row, "; ", result->reason ? result->reason : result->note);
    kg_row_under(how->table, row, "; ", result->reason ? NULL : words);
    kg_row_under(how->table, row, "; ", subject->held->reason);
    if (how->verbose)
        kg_row_under(how->table, row, "; ", kg_cell_reported(&how->table->arena, result));
}

static void result_row(struct result_table *how, size_t index)
{
    const struct kg_case_result *result = &how->results->cases[index];
    const struct kg_column_subject subject = {.result = result, .held = &how->held[index]};
    struct kg_table_row *row = kg_columns_row(how->columns, &subject, how->table);
    const bool good = result->status == KG_STATUS_OK || result->status == KG_STATUS_UNCHANGED;
    const bool missed = subject.held->missed > 0;
    row->colour = good && !missed                                ? KG_TERMINAL_GOOD
                  : missed || result->status == KG_STATUS_FAILED ? KG_TERMINAL_BAD
                                                                 : KG_TERMINAL_DOUBT;
    if (!skipped_note(how, result))
        under_add(how, &subject, row);
}

/* Whether the case comes first in the table. A quiet report has only such cases. */
static bool is_bad(const struct result_table *how, size_t index)
{
    return how->results->cases[index].status == KG_STATUS_FAILED || how->held[index].missed > 0;
}

static void table_add(struct kg_document *document, const struct kg_results *results,
                      const struct kg_held *held)
{
    struct kg_columns usual;
    struct kg_error never;
    const struct kg_report_style *style = &document->style;
    struct result_table how = {.results = results,
                               .held = held,
                               .columns = style->columns,
                               .table = kg_part_table(document, &(struct kg_table){0}),
                               .verbose = style->verbose};
    if (!how.columns && kg_columns_read(NULL, &usual, &never))
        how.columns = &usual;
    kg_columns_heads(how.columns, how.table);
    for (size_t i = 0; i < results->case_count; i++)
        if (is_bad(&how, i))
            result_row(&how, i);
    for (size_t i = 0; i < results->case_count && !style->quiet; i++)
        if (!is_bad(&how, i))
            result_row(&how, i);
    kg_columns_trim(how.columns, how.table);
}

/* --- Remarks ---------------------------------------------------------------------------------- */

/* Adds the GPU's measured peaks: the shares of the rates refer to them. */
static void ceilings_add(struct kg_document *document, const struct kg_ceilings *ceilings)
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
    kg_part_prose(document, KG_PART_SENTENCE, "GPU peaks", kg_cell_take(&document->arena, &words));
    kg_part_prose(document, KG_PART_SENTENCE, "note", ceilings->note);
    kg_part_prose(document, KG_PART_SENTENCE, "GPU peaks: unknown", ceilings->reason);
}

/* Adds notes on the disturbances of the GPU during the run. */
static void conditions_add(struct kg_document *document, const struct kg_results *results)
{
    char words[2][KG_CONDITION_WORDS];
    const struct kg_gpu_conditions conditions = kg_gpu_conditions(results);
    kg_gpu_conditions_words(&conditions, words[0], words[1], KG_CONDITION_WORDS);
    for (int i = 0; i < 2; i++)
        kg_part_prose(document, KG_PART_SENTENCE, "note",
                      kg_arena_copy(&document->arena, words[i]));
}

/* "budgets: 40 met, 1 missed, 2 unknown" */
static void budgets_add(struct kg_document *document, const struct kg_results *results,
                        const struct kg_held *held)
{
    size_t count = 0, missed = 0, unknown = 0;
    for (size_t i = 0; i < results->case_count; i++) {
        count += held[i].count;
        missed += held[i].missed;
        unknown += held[i].unknown;
    }
    if (!count)
        return;
    kg_part_text(document, KG_PART_SENTENCE, "budgets", "%zu met", count - missed - unknown);
    if (missed)
        kg_span_text(document, ", %zu missed", missed);
    if (unknown)
        kg_span_text(document, ", %zu unknown", unknown);
}

static void totals_add(struct kg_document *document, const struct kg_results *results)
{
    char measured[KG_UNIT_BYTES], elapsed[KG_UNIT_BYTES];
    struct kg_text commit = {0};
    kg_part_text(document, KG_PART_SENTENCE, NULL, "%zu case%s, %s measured in %s%s",
                 results->case_count, results->case_count == 1 ? "" : "s",
                 kg_duration_format(results->measured_ns, measured),
                 kg_duration_format(results->elapsed_ns, elapsed),
                 results->complete ? "" : "; incomplete: the run was interrupted");
    kg_cell_commit(results->commit, results->branch, &commit);
    const char *words = kg_cell_take(&document->arena, &commit);
    kg_part_prose(document, KG_PART_SENTENCE, "commit", document->style.quiet ? NULL : words);
}

static void notes_add(struct kg_document *document, const struct kg_results *results)
{
    ceilings_add(document, &results->ceilings);
    conditions_add(document, results);
    kg_part_prose(document, KG_PART_SENTENCE, "note", results->start_note);
    kg_part_prose(document, KG_PART_SENTENCE,
                  "note: the profiles of the cases are not kept for the next run",
                  results->not_kept);
    kg_part_prose(document, KG_PART_SENTENCE, "note: nothing was recorded", results->no_profile);
    if (!results->profile)
        return;
    kg_part_add(document, KG_PART_SENTENCE, "profile");
    kg_span_add(document, KG_SPAN_NAME, results->profile);
    kg_span_add(document, KG_SPAN_PROSE,
                " (`kgate report` of it, --format tree, trace, folded, ...)");
}

void kg_part_machine(struct kg_document *document, enum kg_part_kind kind,
                     const struct kg_machine *machine)
{
    enum { GPUS_MOST = 8 };
    char memory[KG_UNIT_BYTES];
    kg_part_add(document, kind, "machine");
    kg_span_add(document, KG_SPAN_NAME, machine->cpu_model);
    if (machine->cpu_count) /* results of other harnesses may lack the number */
        kg_span_text(document, ", %llu CPU%s", (unsigned long long)machine->cpu_count,
                     machine->cpu_count == 1 ? "" : "s");
    if (machine->memory_bytes)
        kg_span_text(document, ", %s", kg_size_format((double)machine->memory_bytes, memory));
    for (size_t i = 0; i < machine->gpu_count && i < GPUS_MOST; i++) {
        kg_span_text(document, ", ");
        kg_span_add(document, KG_SPAN_NAME, machine->gpus[i].name);
    }
    if (machine->gpu_count > GPUS_MOST)
        kg_span_text(document, " and %zu more", machine->gpu_count - GPUS_MOST);
    if (machine->gpu_count && machine->nvidia_driver) {
        kg_span_text(document, ", NVIDIA driver ");
        kg_span_add(document, KG_SPAN_NAME, machine->nvidia_driver);
    }
    kg_span_text(document, ", fingerprint ");
    kg_span_add(document, KG_SPAN_NAME, machine->fingerprint);
}

/* Adds the table of the cases and everything that explains it. */
static void cases_add(struct kg_document *document, const struct kg_results *results)
{
    const struct kg_held *held = kg_budgets_held(&document->arena, results);
    table_add(document, results, held);
    for (size_t i = 0; i < results->case_count; i++)
        if (results->cases[i].status == KG_STATUS_FAILED)
            kg_part_tail(document, results->cases[i].id, results->cases[i].stderr_tail);
    kg_part_gap(document);
    totals_add(document, results);
    budgets_add(document, results, held);
    notes_add(document, results);
}

void kg_results_document(const struct kg_report_subject *subject, struct kg_document *document)
{
    const struct kg_results *results = subject->results;
    if (subject->sweeps) {
        kg_sweeps_add(document, subject->sweeps, subject->sweep);
        return;
    }
    if (document->style.page) {
        kg_part_text(document, KG_PART_HEADLINE, "kgate results", "suite ");
        kg_span_add(document, KG_SPAN_NAME, results->suite);
    }
    cases_add(document, results);
    if (document->style.page)
        kg_part_machine(document, KG_PART_SENTENCE, &results->machine);
}

/* --- The page --------------------------------------------------------------------------------- */

static void suggestions_add(struct kg_document *document, const struct kg_suggestions *suggestions)
{
    enum { MOST = 10 };
    if (!suggestions || !suggestions->suggestion_count)
        return;
    kg_part_heading(document, "suggestions");
    kg_advice_add(document, suggestions, MOST);
}

/* Adds a table for each parameter with several values, folded. */
static void sweeps_add(struct kg_document *document, const struct kg_results *results)
{
    static const struct kg_sweep_request all = {.by = "all"};
    struct kg_sweeps sweeps;
    struct kg_error none;
    if (!kg_sweeps_find(&document->arena, results, &all, &sweeps, &none))
        return;
    kg_part_text(document, KG_PART_FOLD, NULL, "sweeps");
    kg_sweeps_add(document, &sweeps, &all);
    kg_part_add(document, KG_PART_FOLD_END, NULL);
}

void kg_results_page(const struct kg_report_subject *subject, struct kg_document *document)
{
    kg_results_document(subject, document);
    if (subject->sweeps || document->style.columns)
        return;
    suggestions_add(document, subject->suggestions);
    sweeps_add(document, subject->results);
}
