/* What was measured, for a terminal. */
#include <math.h>
#include <string.h>

#include "report/cells.h"
#include "report/report.h"
#include "report/terminal_parts.h"
#include "results/disturbance.h"
#include "results/throttle.h"
#include "util/escape.h"
#include "util/table.h"
#include "util/units.h"

static const char RED[] = "\x1b[31m", GREEN[] = "\x1b[32m", YELLOW[] = "\x1b[33m";

/* "2.71 TB/s, 91 %": with the share of what the device was measured to be capable of. */
static const char *rate_and_share(struct kg_arena *arena, double rate, const char *unit,
                                  double share)
{
    char text[KG_UNIT_BYTES];
    kg_rate_format(rate, text);
    return isfinite(share) ? kg_arena_printf(arena, "%s%s, %.0f %%", text, unit, 100 * share)
                           : kg_arena_printf(arena, "%s%s", text, unit);
}

/* The rate that says most about a case: FLOP/s, else bytes, else items. */
static const char *rate_cell(struct kg_arena *arena, const struct kg_case_work *work)
{
    char text[KG_UNIT_BYTES];
    /* a kernel with little arithmetic for its bytes is judged by its bandwidth */
    const bool compute = work->flops > 2 * (work->bytes > 0 ? work->bytes : 0);
    if (isfinite(work->flops_per_second) && compute)
        return rate_and_share(arena, work->flops_per_second, "FLOP/s",
                              isfinite(work->tensor_share) ? work->tensor_share : work->fma_share);
    if (isfinite(work->bytes_per_second))
        return rate_and_share(arena, work->bytes_per_second, "B/s", work->bandwidth_share);
    if (isfinite(work->items_per_second))
        return kg_arena_printf(arena, "%s items/s", kg_rate_format(work->items_per_second, text));
    return "";
}

/* What stands under a case's row: why it is as it is, and what its workload reports where that is
 * asked for. */
static const char *under_result(struct kg_arena *arena, const struct kg_case_result *result,
                                bool verbose)
{
    struct kg_text text = {0};
    const struct kg_disturbance found = kg_disturbance_of(result);
    char words[KG_DISTURBANCE_WORDS];
    kg_disturbance_words(&found, words);
    kg_terminal_part(&text, "", result->reason ? result->reason : result->note);
    if (!result->reason && *words)
        kg_terminal_part(&text, "; ", words);
    if (verbose)
        kg_terminal_part(&text, "; ", kg_cell_reported(arena, result));
    const char *copy = text.length ? kg_arena_copy(arena, kg_text_string(&text)) : NULL;
    kg_text_free(&text);
    return copy;
}

static void result_row(struct kg_table *table, const struct kg_case_result *result, bool verbose)
{
    struct kg_arena *arena = &table->arena;
    const struct kg_summary *summary = &result->summary;
    struct kg_table_row *row = kg_table_row_add(table);
    char text[KG_UNIT_BYTES];
    if (!row)
        return;
    row->cells[0] = kg_terminal_escaped(arena, result->id);
    if (result->round_count) {
        const double half = (summary->interval_high_ns - summary->interval_low_ns) / 2;
        row->cells[1] = kg_arena_copy(arena, kg_duration_format(summary->median_ns, text));
        if (result->status == KG_STATUS_OK) /* a small interval would look like knowledge */
            row->cells[2] = kg_arena_printf(arena, "± %.1f %%", 100 * half / summary->median_ns);
        row->cells[3] = rate_cell(arena, &result->work);
        row->cells[4] =
            kg_arena_copy(arena, kg_size_format((double)result->memory.peak_bytes, text));
        row->cells[5] = kg_arena_printf(arena, "%zu", result->round_count);
    }
    row->cells[6] = kg_status_names[result->status];
    const bool good = result->status == KG_STATUS_OK || result->status == KG_STATUS_UNCHANGED;
    row->colour = good ? GREEN : result->status == KG_STATUS_FAILED ? RED : YELLOW;
    row->under = under_result(arena, result, verbose);
    if (!row->cells[0])
        table->failed = true;
}

static void tails_print(const struct kg_results *results, struct kg_text *text)
{
    for (size_t i = 0; i < results->case_count; i++) {
        const struct kg_case_result *result = &results->cases[i];
        if (result->status == KG_STATUS_FAILED && result->stderr_tail)
            kg_terminal_tail(result->id, result->stderr_tail, text);
    }
}

/* What the rates' shares are of. */
static void ceilings_print(const struct kg_ceilings *ceilings, struct kg_text *text)
{
    const struct {
        const char *what;
        double rate;
        const char *unit;
    } figures[] = {{"copies", ceilings->copy_bytes_per_s, "B/s"},
                   {"multiply-adds", ceilings->fma_flops_per_s, "FLOP/s"},
                   {"tensor cores", ceilings->tensor_flops_per_s, "FLOP/s"}};
    const char *separator = "GPU, at the most: ";
    char rate[KG_UNIT_BYTES];
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        if (!isfinite(figures[i].rate))
            continue;
        kg_text_printf(text, "%s%s %s%s", separator, figures[i].what,
                       kg_rate_format(figures[i].rate, rate), figures[i].unit);
        separator = ", ";
    }
    if (*separator == ',')
        kg_text_printf(text, "%s%s%s\n", ceilings->tensor_by ? " (" : "",
                       ceilings->tensor_by ? ceilings->tensor_by : "",
                       ceilings->tensor_by ? ")" : "");
    if (ceilings->note) {
        kg_text_append(text, "note: ");
        kg_escape_terminal(text, ceilings->note, KG_TERMINAL_REASON_MOST);
        kg_text_append(text, "\n");
    }
    if (ceilings->reason) {
        kg_text_append(text, "GPU, at the most: not known: ");
        kg_escape_terminal(text, ceilings->reason, KG_TERMINAL_REASON_MOST);
        kg_text_append(text, "\n");
    }
}

/* What disturbed the GPU meanwhile. */
static void conditions_print(const struct kg_results *results, struct kg_text *text)
{
    char words[2][KG_CONDITION_WORDS];
    const struct kg_gpu_conditions conditions = kg_gpu_conditions(results);
    kg_gpu_conditions_words(&conditions, words[0], words[1], KG_CONDITION_WORDS);
    for (int i = 0; i < 2; i++)
        if (*words[i])
            kg_text_printf(text, "note: %s\n", words[i]);
}

void kg_report_results_text(const struct kg_results *results, const struct kg_report_style *style,
                            struct kg_text *text)
{
    char measured[KG_UNIT_BYTES], elapsed[KG_UNIT_BYTES];
    struct kg_table table = {
        .columns = 7,
        .indent = 2,
        .id_most = style->id_most,
        .heads = {"case", "median of rounds", "95 %", "rate", "peak memory", "rounds", "status"},
        .left = {true, false, false, false, false, false, true}};
    for (size_t i = 0; i < results->case_count; i++)
        if (!style->quiet || results->cases[i].status == KG_STATUS_FAILED)
            result_row(&table, &results->cases[i], style->verbose);
    if (table.row_count)
        kg_table_print(&table, style->colour, text);
    kg_table_free(&table);
    tails_print(results, text);
    kg_text_printf(text, "\n%zu case%s, %s measured in %s%s\n", results->case_count,
                   results->case_count == 1 ? "" : "s",
                   kg_duration_format(results->measured_ns, measured),
                   kg_duration_format(results->elapsed_ns, elapsed),
                   results->complete ? "" : "; incomplete: the run was interrupted");
    ceilings_print(&results->ceilings, text);
    conditions_print(results, text);
    if (results->not_kept) {
        kg_text_append(text, "note: what was seen of the cases is not kept for the next run: ");
        kg_escape_terminal(text, results->not_kept, KG_TERMINAL_REASON_MOST);
        kg_text_append(text, "\n");
    }
    if (results->profile) {
        kg_text_append(text, "profile: ");
        kg_escape_terminal(text, results->profile, 200);
        kg_text_append(text, " (`kgate report` of it, --format tree, trace, folded, ...)\n");
    }
}
