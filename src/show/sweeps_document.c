/* sweeps_document.c: results as tables over the values of a parameter. */
#include "show/format_parts.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "show/advice_text.h"
#include "show/cells.h"
#include "show/columns.h"
#include "show/document.h"
#include "show/terminal_parts.h"

/* The mark of a speedup whose intervals overlap. */
static const char NOT_APART[] = " ~";

enum { ACROSS_MOST = KG_TABLE_COLUMNS_MOST - 1 };

/* --- Cells ------------------------------------------------------------------------------------ */

/* Appends "265 -> 248 us". A common unit is printed once. */
static void values_append(const char *before, const char *after, struct kg_text *text)
{
    const char *unit = strchr(before, ' '), *other = strchr(after, ' ');
    const bool same = unit && other && !strcmp(unit, other);
    kg_text_printf(text, "%.*s -> %s", same ? (int)(unit - before) : (int)strlen(before), before,
                   after);
}

static void speedup_append(const struct kg_sweep_cell *cell, struct kg_text *text)
{
    char factor[KG_FACTOR_BYTES];
    kg_text_printf(text, "%s%s%s", text->length ? ", " : "",
                   kg_advice_factor(cell->speedup, factor), cell->apart ? "" : NOT_APART);
}

/* A column of a case; "" if there is none. */
static const char *column_cell(struct kg_table *table, const struct kg_column *column,
                               const struct kg_case_result *result)
{
    const struct kg_column_subject subject = {.result = result};
    return result ? column->cell(&table->arena, &subject) : "";
}

/* Appends the wanted columns of a case: "3.77 us, 265 k vectors/s". Without --columns: the time. */
static void figures_append(struct kg_table *table, const struct kg_columns *columns,
                           const struct kg_sweep_cell *cell, struct kg_text *text)
{
    char time[KG_UNIT_BYTES];
    if (!columns)
        kg_text_append(text, kg_duration_format(cell->time_ns, time));
    for (size_t i = 0; columns && i < columns->count; i++) {
        const char *figure = column_cell(table, columns->columns[i], cell->result);
        kg_text_printf(text, "%s%s", *figure && text->length ? ", " : "", figure);
    }
}

/* "248 us, 1.07x", or the wanted columns and the speedup; without a time the status: "skipped". */
static const char *case_cell(struct kg_table *table, const struct kg_columns *columns,
                             const struct kg_sweep_cell *cell)
{
    struct kg_text text = {0};
    if (isfinite(cell->time_ns))
        figures_append(table, columns, cell, &text);
    else if (cell->result)
        kg_text_append(&text, cell->result->status == KG_STATUS_OK
                                  ? "-"
                                  : kg_status_names[cell->result->status]);
    if (isfinite(cell->speedup))
        speedup_append(cell, &text);
    return kg_table_cell(table, &text);
}

/* The rate of --columns that a speedup shows instead of the time; NULL: the time. */
static const struct kg_column *rate_column(const struct kg_columns *columns)
{
    for (size_t i = 0; columns && i < columns->count; i++)
        if (columns->columns[i]->is_rate)
            return columns->columns[i];
    return NULL;
}

/* "265 -> 248 us, 1.07x", or with a rate among the columns "248 -> 265 vectors/s, 1.07x". */
static const char *against_cell(struct kg_table *table, const struct kg_columns *columns,
                                const struct kg_sweep_cell *cell)
{
    const struct kg_column *rate = rate_column(columns);
    struct kg_text text = {0};
    if (!isfinite(cell->speedup))
        return "";
    if (rate)
        values_append(column_cell(table, rate, cell->reference),
                      column_cell(table, rate, cell->result), &text);
    else
        values_append(kg_cell_time(&table->arena, cell->reference_ns),
                      kg_cell_time(&table->arena, cell->time_ns), &text);
    speedup_append(cell, &text);
    return kg_table_cell(table, &text);
}

/* --- Tables ----------------------------------------------------------------------------------- */

static bool any_speedup(const struct kg_sweep *sweep)
{
    for (size_t r = 0; r < sweep->row_count; r++)
        for (size_t c = 0; c < sweep->column_count; c++)
            if (isfinite(sweep->rows[r].cells[c].speedup))
                return true;
    return false;
}

/* One case per row: its columns, and the speedup over the reference. */
static void rows_alone(const struct kg_sweep *sweep, const char *against,
                       const struct kg_columns *wanted, struct kg_table *table)
{
    const bool speedup = any_speedup(sweep);
    struct kg_columns usual;
    struct kg_error never;
    const struct kg_columns *columns = wanted;
    if (!wanted && kg_columns_read("median,interval,rate,memory", &usual, &never))
        columns = &usual;
    if (!columns)
        return;
    const size_t most = KG_TABLE_COLUMNS_MOST - 2; /* beside the parameter and the speedup */
    const size_t count = columns->count < most ? columns->count : most;
    table->columns = count + 1;
    table->heads[0] = sweep->by;
    for (size_t c = 0; c < count; c++) {
        table->heads[c + 1] = wanted || c ? columns->columns[c]->head : "time";
        table->spare[c + 1] = c && !wanted ? columns->columns[c]->spare : 0;
    }
    if (speedup)
        table->heads[table->columns++] =
            kg_arena_printf(&table->arena, "%s -> this, speedup", against);
    for (size_t r = 0; r < sweep->row_count; r++) {
        const struct kg_sweep_cell *cell = &sweep->rows[r].cells[0];
        struct kg_table_row *row = kg_table_row_add(table);
        row->cells[0] = sweep->rows[r].value;
        for (size_t c = 0; c < count; c++)
            row->cells[c + 1] = isfinite(cell->time_ns)
                                    ? column_cell(table, columns->columns[c], cell->result)
                                : c ? ""
                                    : case_cell(table, NULL, cell);
        if (speedup)
            row->cells[count + 1] = against_cell(table, wanted, cell);
    }
}

/* One column per value of the second parameter, with the wanted figures and the speedup. */
static void rows_across(const struct kg_sweep *sweep, const struct kg_columns *wanted,
                        struct kg_table *table)
{
    const size_t columns = sweep->column_count < ACROSS_MOST ? sweep->column_count : ACROSS_MOST;
    table->columns = columns + 1;
    table->heads[0] = sweep->by;
    for (size_t c = 0; c < columns; c++)
        table->heads[c + 1] = sweep->columns[c];
    for (size_t r = 0; r < sweep->row_count; r++) {
        struct kg_table_row *row = kg_table_row_add(table);
        row->cells[0] = sweep->rows[r].value;
        for (size_t c = 0; c < columns; c++)
            row->cells[c + 1] = case_cell(table, wanted, &sweep->rows[r].cells[c]);
    }
}

/* "encode, lattice=D4,q=4, cpu: by batch" */
static void title_add(struct kg_document *document, const struct kg_sweep *sweep,
                      const struct kg_sweep_request *request)
{
    const char *title = kg_arena_printf(
        &document->arena, "%s%s%s%s%s: by %s", sweep->workload, *sweep->fixed ? ", " : "",
        sweep->fixed, sweep->device ? ", " : "", sweep->device ? sweep->device : "", sweep->by);
    kg_part_add(document, KG_PART_SENTENCE, NULL);
    kg_span_strong(document, KG_SPAN_NAME, title, KG_TERMINAL_BOLD);
    if (request->across && (sweep->column_count > 1 || *sweep->columns[0])) {
        kg_span_text(document, ", a column for each ");
        kg_span_add(document, KG_SPAN_NAME, request->across);
    }
    if (sweep->column_count > ACROSS_MOST)
        kg_span_text(document, ", the first %d of %zu", ACROSS_MOST, sweep->column_count);
}

static void sweep_add(struct kg_document *document, const struct kg_sweep *sweep,
                      const struct kg_sweep_request *request)
{
    title_add(document, sweep, request);
    struct kg_table *table = kg_part_table(document, &(struct kg_table){0});
    table->id_most = 0;
    if (sweep->column_count == 1 && !*sweep->columns[0])
        rows_alone(sweep, request->against, document->style.columns, table);
    else
        rows_across(sweep, document->style.columns, table);
    kg_part_gap(document);
}

/* Remarks that explain the tables above. */
static void remarks_add(struct kg_document *document, const struct kg_sweeps *sweeps,
                        const struct kg_sweep_request *request)
{
    size_t unmeasured = 0;
    bool any = false, doubtful = false;
    for (size_t i = 0; i < sweeps->count; i++) {
        const struct kg_sweep *sweep = &sweeps->sweeps[i];
        unmeasured += !sweep->measured;
        any = any || any_speedup(sweep);
        for (size_t r = 0; r < sweep->row_count; r++)
            for (size_t c = 0; c < sweep->column_count; c++)
                doubtful = doubtful || (isfinite(sweep->rows[r].cells[c].speedup) &&
                                        !sweep->rows[r].cells[c].apart);
    }
    if (request->against) {
        kg_part_text(document, KG_PART_SENTENCE, NULL,
                     any ? "speedup: the time of " : "no measured case has a counterpart with ");
        kg_span_add(document, KG_SPAN_NAME, request->against);
        kg_span_text(document,
                     any ? " divided by the time of the case; above 1 the case is faster" : "");
    }
    if (doubtful)
        kg_part_prose(document, KG_PART_SENTENCE, NULL,
                      "~: the 95 % intervals of both times overlap");
    if (!unmeasured)
        return;
    kg_part_text(document, KG_PART_SENTENCE, NULL, "%zu more table%s without any measured case",
                 unmeasured, unmeasured == 1 ? " is" : "s are");
}

void kg_sweeps_add(struct kg_document *document, const struct kg_sweeps *sweeps,
                   const struct kg_sweep_request *request)
{
    for (size_t i = 0; i < sweeps->count; i++)
        if (sweeps->sweeps[i].measured)
            sweep_add(document, &sweeps->sweeps[i], request);
    remarks_add(document, sweeps, request);
}
