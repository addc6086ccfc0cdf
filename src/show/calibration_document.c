/* calibration_document.c: the noise of a suite's cases between runs of the same code, and the detectable changes. */
#include <math.h>

#include "show/cells.h"
#include "show/document.h"
#include "show/format_parts.h"

static void case_row(struct kg_table *table, const struct kg_calibration *calibration,
                     const struct kg_calibrated_case *calibrated)
{
    struct kg_arena *arena = &table->arena;
    struct kg_table_row *row = kg_table_row_add(table);
    row->cells[0] = calibrated->id;
    row->cells[1] = kg_cell_per_cent(arena, calibrated->run_scatter);
    row->cells[2] = kg_cell_per_cent(arena, calibrated->round_scatter);
    row->cells[3] = kg_arena_printf(arena, "%zu/%zu", calibrated->alarms, calibration->pairs);
    row->cells[4] = kg_arena_printf(arena, "%zu/%zu", calibrated->doubts, calibration->pairs);
    row->cells[5] =
        isnan(calibrated->caught) ? "> 50 %" : kg_cell_per_cent(arena, calibrated->caught);
    row->cells[6] = kg_arena_printf(arena, "%.0f", calibrated->rounds);
    row->under = calibrated->advice;
}

void kg_calibration_document(const struct kg_report_subject *subject, struct kg_document *document)
{
    const struct kg_calibration *calibration = subject->calibration;
    static const struct kg_table form = {
        .columns = 7,
        .spare = {0, 0, 2, 0, 0, 0, 1},
        .heads = {"case", "runs differ", "rounds differ", "alarms", "doubts", "catches", "rounds"},
        .left = {true}};
    kg_part_add(document, KG_PART_SENTENCE, NULL);
    kg_span_add(document, KG_SPAN_NAME, calibration->suite);
    kg_span_text(document, ": %zu runs of the same code", calibration->runs);
    document->indent = 2;
    kg_part_text(document, KG_PART_SENTENCE, NULL,
                 "the gate alarmed in %zu of %zu pairs of runs, and in %zu of %zu runs against all "
                 "others (alpha %g %%)",
                 calibration->alarmed_pairs, calibration->pairs, calibration->alarmed_runs,
                 calibration->runs, 100 * calibration->alpha);
    kg_part_gap(document);
    struct kg_table *table = kg_part_table(document, &form);
    for (size_t i = 0; i < calibration->case_count; i++)
        if (!document->style.quiet || calibration->cases[i].advice)
            case_row(table, calibration, &calibration->cases[i]);
    if (!document->style.quiet) {
        kg_part_gap(document);
        kg_part_text(
            document, KG_PART_SENTENCE, NULL,
            "catches: smallest slowdown that the gate caught in all %zu pairs, with rounds slowed "
            "by calculation",
            calibration->pairs);
    }
}
