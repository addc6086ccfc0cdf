/* formats_results.c: results as the tables that options ask for. */
#include "show/format_parts.h"
#include "show/results_table.h"

bool kg_results_as_sweeps(const struct kg_report_subject *subject, bool markdown,
                          struct kg_text *text, struct kg_error *err)
{
    struct kg_arena arena = {0};
    struct kg_sweeps sweeps;
    const bool good = kg_sweeps_find(&arena, subject->results, subject->sweep, &sweeps, err);
    if (good && markdown)
        kg_report_sweeps_markdown(&sweeps, subject->sweep, text);
    else if (good)
        kg_report_sweeps_text(&sweeps, subject->sweep, &subject->style, text);
    kg_arena_free(&arena);
    return good;
}

bool kg_results_as_table(const struct kg_report_subject *subject, struct kg_text *text,
                         struct kg_error *err)
{
    enum { ROOM_BELOW = 100 };
    struct kg_arena arena = {0};
    struct kg_table table = {0};
    struct kg_held *held;
    const bool good = kg_budgets_held(&arena, subject->results, &held) &&
                      kg_report_results_table(subject->results, held, &subject->style, &table);
    if (good)
        kg_table_print_markdown(&table, KG_MARKDOWN_MOST - ROOM_BELOW, text);
    kg_table_free(&table);
    kg_arena_free(&arena);
    return good ? true : kg_error_memory(err);
}
