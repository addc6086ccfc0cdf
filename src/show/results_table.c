#include "show/results_table.h"

#include <string.h>

#include "model/disturbance.h"
#include "show/cells.h"
#include "show/terminal_parts.h"

/* What stands under a case's row: why it is as it is, and what its workload reports where that is
 * asked for. */
static const char *under_result(struct kg_arena *arena, const struct kg_column_subject *subject,
                                bool verbose)
{
    const struct kg_case_result *result = subject->result;
    struct kg_text text = {0};
    const struct kg_disturbance found = kg_disturbance_of(result);
    char words[KG_DISTURBANCE_WORDS];
    kg_disturbance_words(&found, words);
    kg_terminal_part(&text, "", result->reason ? result->reason : result->note);
    if (!result->reason && *words)
        kg_terminal_part(&text, "; ", words);
    kg_terminal_part(&text, "; ", subject->held->reason);
    if (verbose)
        kg_terminal_part(&text, "; ", kg_cell_reported(arena, result));
    const char *copy = text.length ? kg_arena_copy(arena, kg_text_string(&text)) : NULL;
    kg_text_free(&text);
    return copy;
}

/* How rows are made. */
struct result_table {
    const struct kg_columns *columns;
    const struct kg_held *held; /* one for each case */
    const char *skipped;        /* the reason of skipped cases that was said last */
    bool verbose;
};

/* A hundred cases that are skipped for one reason say it once. */
static bool skipped_said(struct result_table *how, const struct kg_case_result *result)
{
    if (result->status != KG_STATUS_SKIPPED || !result->reason)
        return false;
    const bool said = how->skipped && !strcmp(how->skipped, result->reason);
    how->skipped = result->reason;
    return said;
}

static void result_row(struct kg_table *table, struct result_table *how,
                       const struct kg_results *results, size_t index)
{
    const struct kg_case_result *result = &results->cases[index];
    const struct kg_column_subject subject = {.result = result, .held = &how->held[index]};
    struct kg_table_row *row = kg_columns_row(how->columns, &subject, table);
    if (!row)
        return;
    const bool good = result->status == KG_STATUS_OK || result->status == KG_STATUS_UNCHANGED;
    const bool missed = subject.held->missed > 0;
    row->colour = good && !missed                                ? KG_TERMINAL_GOOD
                  : missed || result->status == KG_STATUS_FAILED ? KG_TERMINAL_BAD
                                                                 : KG_TERMINAL_DOUBT;
    if (!skipped_said(how, result))
        row->under = under_result(&table->arena, &subject, how->verbose);
    if (row->under)
        row->under = kg_terminal_under(&table->arena, row->under, table->width);
}

/* Shown first, and where little is asked for alone. */
static bool is_bad(const struct kg_results *results, const struct kg_held *held, size_t index)
{
    return results->cases[index].status == KG_STATUS_FAILED || held[index].missed > 0;
}

bool kg_report_results_table(const struct kg_results *results, const struct kg_held *held,
                             const struct kg_report_style *style, struct kg_table *table)
{
    struct kg_columns usual;
    struct kg_error never;
    struct result_table how = {.columns = style->columns, .held = held, .verbose = style->verbose};
    if (!how.columns && kg_columns_read(NULL, &usual, &never))
        how.columns = &usual;
    kg_columns_heads(how.columns, table);
    for (size_t i = 0; i < results->case_count; i++)
        if (is_bad(results, held, i))
            result_row(table, &how, results, i);
    for (size_t i = 0; i < results->case_count && !style->quiet; i++)
        if (!is_bad(results, held, i))
            result_row(table, &how, results, i);
    kg_columns_trim(how.columns, table);
    return !table->failed;
}
