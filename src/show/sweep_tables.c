#include "show/format_parts.h"

#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "base/table.h"
#include "base/units.h"
#include "show/advice_text.h"
#include "show/columns.h"
#include "show/terminal_parts.h"

/* How a speedup is marked that the intervals do not tell from none. */
static const char NOT_APART[] = " ~";

enum { ACROSS_MOST = KG_TABLE_COLUMNS_MOST - 1, TITLE_MOST = 300, ROOM_BELOW = 4000 };

/* --- Cells ------------------------------------------------------------------------------------ */

/* "265 -> 248 us": the unit once where both have it. */
static void times_append(double before_ns, double after_ns, struct kg_text *text)
{
    char before[KG_UNIT_BYTES], after[KG_UNIT_BYTES];
    kg_duration_format(before_ns, before);
    kg_duration_format(after_ns, after);
    const char *unit = strchr(before, ' '), *other = strchr(after, ' ');
    const bool same = unit && other && !strcmp(unit, other);
    kg_text_printf(text, "%.*s -> %s", same ? (int)(unit - before) : (int)strlen(before), before,
                   after);
}

static void speedup_append(const struct kg_sweep_cell *cell, struct kg_text *text)
{
    char factor[KG_FACTOR_BYTES];
    kg_text_printf(text, ", %s%s", kg_advice_factor(cell->speedup, factor),
                   cell->apart ? "" : NOT_APART);
}

static const char *keep(struct kg_table *table, struct kg_text *text)
{
    return kg_table_cell(table, text);
}

/* "248 us", or why there is no time: "skipped". */
static const char *time_cell(struct kg_table *table, const struct kg_sweep_cell *cell, bool speedup)
{
    char time[KG_UNIT_BYTES];
    struct kg_text text = {0};
    if (isfinite(cell->time_ns))
        kg_text_append(&text, kg_duration_format(cell->time_ns, time));
    else if (cell->result)
        kg_text_append(&text, cell->result->status == KG_STATUS_OK
                                  ? "-"
                                  : kg_status_names[cell->result->status]);
    if (speedup && isfinite(cell->speedup))
        speedup_append(cell, &text);
    return keep(table, &text);
}

/* "265 -> 248 us, 1.07x" */
static const char *against_cell(struct kg_table *table, const struct kg_sweep_cell *cell)
{
    struct kg_text text = {0};
    if (isfinite(cell->speedup)) {
        times_append(cell->reference_ns, cell->time_ns, &text);
        speedup_append(cell, &text);
    }
    return keep(table, &text);
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

/* One case a row: its time, interval, rate, memory, and what it is compared with. */
static void rows_alone(const struct kg_sweep *sweep, const char *against, struct kg_table *table)
{
    const bool speedup = any_speedup(sweep);
    const char *heads[] = {sweep->by, "time", "95 %", "rate", "peak memory", NULL};
    static const unsigned spare[] = {0, 0, 2, KG_TABLE_NEEDED, 1};
    for (table->columns = 0; heads[table->columns]; table->columns++)
        table->heads[table->columns] = heads[table->columns];
    memcpy(table->spare, spare, sizeof spare);
    if (speedup)
        table->heads[table->columns++] =
            kg_arena_printf(&table->arena, "%s -> this, speedup", against);
    for (size_t r = 0; r < sweep->row_count; r++) {
        const struct kg_sweep_cell *cell = &sweep->rows[r].cells[0];
        struct kg_table_row *row = kg_table_row_add(table);
        if (!row)
            return;
        row->cells[0] = kg_terminal_escaped(&table->arena, sweep->rows[r].value);
        row->cells[1] = time_cell(table, cell, false);
        if (speedup)
            row->cells[5] = against_cell(table, cell);
        if (!isfinite(cell->time_ns))
            continue;
        const struct kg_summary *summary = &cell->result->summary;
        row->cells[2] = kg_arena_printf(
            &table->arena, "± %.1f %%",
            50 * (summary->interval_high_ns - summary->interval_low_ns) / summary->median_ns);
        row->cells[3] = kg_column_rate(&table->arena, cell->result);
        row->cells[4] = kg_column_memory(&table->arena, cell->result);
    }
}

/* A column for each value across: the time, and its speedup. */
static void rows_across(const struct kg_sweep *sweep, struct kg_table *table)
{
    const size_t columns = sweep->column_count < ACROSS_MOST ? sweep->column_count : ACROSS_MOST;
    table->columns = columns + 1;
    table->heads[0] = kg_terminal_escaped(&table->arena, sweep->by);
    for (size_t c = 0; c < columns; c++)
        table->heads[c + 1] = kg_terminal_escaped(&table->arena, sweep->columns[c]);
    for (size_t r = 0; r < sweep->row_count; r++) {
        struct kg_table_row *row = kg_table_row_add(table);
        if (!row)
            return;
        row->cells[0] = kg_terminal_escaped(&table->arena, sweep->rows[r].value);
        for (size_t c = 0; c < columns; c++)
            row->cells[c + 1] = time_cell(table, &sweep->rows[r].cells[c], true);
    }
}

static void table_fill(const struct kg_sweep *sweep, const struct kg_sweep_request *request,
                       struct kg_table *table)
{
    const char *against =
        request->against ? kg_terminal_escaped(&table->arena, request->against) : NULL;
    if (sweep->column_count == 1 && !*sweep->columns[0])
        rows_alone(sweep, against, table);
    else
        rows_across(sweep, table);
    for (size_t c = 0; c < table->columns; c++)
        table->failed = table->failed || !table->heads[c];
}

/* "encode, lattice=D4,q=4, cpu: by batch" */
static void title_append(const struct kg_sweep *sweep, const struct kg_sweep_request *request,
                         struct kg_text *text)
{
    kg_text_append(text, sweep->workload);
    kg_text_printf(text, "%s%s", *sweep->fixed ? ", " : "", sweep->fixed);
    kg_text_printf(text, "%s%s: by %s", sweep->device ? ", " : "",
                   sweep->device ? sweep->device : "", sweep->by);
    if (request->across && (sweep->column_count > 1 || *sweep->columns[0]))
        kg_text_printf(text, ", a column for each %s", request->across);
    if (sweep->column_count > ACROSS_MOST)
        kg_text_printf(text, ", the first %d of %zu", ACROSS_MOST, sweep->column_count);
}

/* What a reader must know of the tables above. */
static void remarks_append(const struct kg_sweeps *sweeps, const struct kg_sweep_request *request,
                           struct kg_text *text)
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
    if (any)
        kg_text_printf(text,
                       "speedup: the time of %s over that of the case; above 1 it is faster\n",
                       request->against);
    else if (request->against)
        kg_text_printf(text, "no measured case has a counterpart with %s\n", request->against);
    if (doubtful)
        kg_text_append(text, "~: the 95 % intervals of both times overlap\n");
    if (unmeasured)
        kg_text_printf(text, "%zu more table%s without any measured case\n", unmeasured,
                       unmeasured == 1 ? " is" : "s are");
}

void kg_report_sweeps_text(const struct kg_sweeps *sweeps, const struct kg_sweep_request *request,
                           const struct kg_report_style *style, struct kg_text *text)
{
    struct kg_text remarks = {0};
    for (size_t i = 0; i < sweeps->count; i++) {
        struct kg_table table = {.indent = 2, .width = style->width};
        struct kg_text title = {0};
        if (!sweeps->sweeps[i].measured)
            continue;
        title_append(&sweeps->sweeps[i], request, &title);
        kg_terminal_sentence(text, "", kg_text_string(&title), TITLE_MOST, style->width);
        table_fill(&sweeps->sweeps[i], request, &table);
        kg_table_print(&table, style->colour, text);
        kg_text_append(text, "\n");
        text->failed = text->failed || title.failed;
        kg_table_free(&table);
        kg_text_free(&title);
    }
    remarks_append(sweeps, request, &remarks);
    for (const char *line = kg_text_string(&remarks); *line; line += strcspn(line, "\n") + 1) {
        struct kg_text one = {0};
        kg_text_append_bytes(&one, line, strcspn(line, "\n"));
        kg_escape_terminal(text, kg_text_string(&one), TITLE_MOST);
        kg_text_append(text, "\n");
        kg_text_free(&one);
    }
    text->failed = text->failed || remarks.failed;
    kg_text_free(&remarks);
}

static void markdown_table(const struct kg_sweep *sweep, const struct kg_sweep_request *request,
                           struct kg_text *text)
{
    struct kg_table table = {0};
    struct kg_text title = {0};
    title_append(sweep, request, &title);
    kg_text_append(text, "**");
    kg_escape_markdown(text, kg_text_string(&title), TITLE_MOST);
    kg_text_append(text, "**\n\n");
    table_fill(sweep, request, &table);
    kg_table_print_markdown(&table, KG_MARKDOWN_MOST / 2, text);
    kg_text_append(text, "\n");
    text->failed = text->failed || title.failed;
    kg_table_free(&table);
    kg_text_free(&title);
}

void kg_report_sweeps_markdown(const struct kg_sweeps *sweeps,
                               const struct kg_sweep_request *request, struct kg_text *text)
{
    struct kg_text remarks = {0};
    size_t left_out = 0;
    for (size_t i = 0; i < sweeps->count; i++) {
        struct kg_text one = {0};
        if (!sweeps->sweeps[i].measured)
            continue;
        markdown_table(&sweeps->sweeps[i], request, &one);
        if (text->length + one.length < KG_MARKDOWN_MOST - ROOM_BELOW)
            kg_text_append(text, kg_text_string(&one));
        else
            left_out++;
        text->failed = text->failed || one.failed;
        kg_text_free(&one);
    }
    if (left_out)
        kg_text_printf(text, "… and %zu more table%s.\n\n", left_out, left_out == 1 ? "" : "s");
    remarks_append(sweeps, request, &remarks);
    kg_escape_markdown(text, kg_text_string(&remarks), TITLE_MOST);
    kg_text_append(text, "\n");
    text->failed = text->failed || remarks.failed;
    kg_text_free(&remarks);
}
