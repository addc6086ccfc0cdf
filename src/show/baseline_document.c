/* baseline_document.c: the stored runs of a baseline, the newest first. */
#include "show/document.h"
#include "show/format_parts.h"

static void run_row(struct kg_table *table, const struct kg_baseline_run *run)
{
    struct kg_table_row *row = kg_table_row_add(table);
    row->cells[0] = run->created;
    row->cells[1] = run->suite;
    row->cells[2] = run->pin;
    row->cells[3] = run->commit;
    row->cells[4] = run->branch;
    row->cells[5] = kg_arena_printf(&table->arena, "%zu", run->case_count);
}

void kg_baseline_document(const struct kg_report_subject *subject, struct kg_document *document)
{
    static const struct kg_table form = {
        .columns = 6,
        .heads = {"run", "suite", "pin", "commit", "branch", "cases"},
        .left = {true, true, true, true, true}};
    const struct kg_baseline *baseline = subject->baseline;
    kg_part_text(document, KG_PART_HEADLINE, "kgate baseline", "%zu stored run%s",
                 baseline->run_count, baseline->run_count == 1 ? "" : "s");
    kg_part_machine(document, KG_PART_SENTENCE, &baseline->machine);
    struct kg_table *table = kg_part_table(document, &form);
    for (size_t i = baseline->run_count; i-- > 0;)
        run_row(table, &baseline->runs[i]);
}
