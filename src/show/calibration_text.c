#include <math.h>
#include <stdint.h>

#include "base/escape.h"
#include "base/table.h"
#include "show/cells.h"
#include "show/report.h"

enum { NAME_MOST = 100 };

static const char *share_cell(struct kg_arena *arena, double share)
{
    return isnan(share) ? "-" : kg_arena_printf(arena, "%.1f %%", 100 * share);
}

static void case_row(struct kg_table *table, const struct kg_calibration *calibration,
                     const struct kg_calibrated_case *calibrated)
{
    struct kg_arena *arena = &table->arena;
    struct kg_table_row *row = kg_table_row_add(table);
    struct kg_text id = {0};
    if (!row)
        return;
    kg_escape_terminal(&id, calibrated->id, SIZE_MAX);
    row->cells[0] = kg_table_cell(table, &id);
    row->cells[1] = share_cell(arena, calibrated->run_scatter);
    row->cells[2] = share_cell(arena, calibrated->round_scatter);
    row->cells[3] = kg_arena_printf(arena, "%zu/%zu", calibrated->alarms, calibration->pairs);
    row->cells[4] = kg_arena_printf(arena, "%zu/%zu", calibrated->doubts, calibration->pairs);
    row->cells[5] = isnan(calibrated->caught) ? "> 50 %" : share_cell(arena, calibrated->caught);
    row->cells[6] = kg_arena_printf(arena, "%.0f", calibrated->rounds);
    row->under = calibrated->advice;
    for (int i = 0; i < 7; i++)
        table->failed = table->failed || !row->cells[i];
}

void kg_report_calibration_text(const struct kg_calibration *calibration,
                                const struct kg_report_style *style, struct kg_text *text)
{
    struct kg_table table = {
        .columns = 7,
        .indent = 2,
        .id_most = style->id_most,
        .width = style->width,
        .spare = {0, 0, 2, 0, 0, 0, 1},
        .heads = {"case", "runs differ", "rounds differ", "alarms", "doubts", "catches", "rounds"},
        .left = {true}};
    for (size_t i = 0; i < calibration->case_count; i++)
        if (!style->quiet || calibration->cases[i].advice)
            case_row(&table, calibration, &calibration->cases[i]);
    kg_escape_terminal(text, calibration->suite, NAME_MOST);
    kg_text_printf(text,
                   ": %zu runs of the same code\n"
                   "  the gate alarmed in %zu of %zu pairs of runs, and in %zu of %zu runs against "
                   "all others (alpha %g %%)\n\n",
                   calibration->runs, calibration->alarmed_pairs, calibration->pairs,
                   calibration->alarmed_runs, calibration->runs, 100 * calibration->alpha);
    if (table.row_count)
        kg_table_print(&table, style->colour, text);
    kg_table_free(&table);
    if (!style->quiet)
        kg_text_printf(text,
                       "\n  catches: the smallest slowdown that was caught in every one of the "
                       "%zu pairs,\n  by rounds made slower by calculation\n",
                       calibration->pairs);
}
