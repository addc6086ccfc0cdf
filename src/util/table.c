#include "util/table.h"

#include <stdlib.h>
#include <string.h>

#include "util/escape.h"

static const size_t GAP = 2; /* spaces between columns */

struct kg_table_row *kg_table_row_add(struct kg_table *table)
{
    if (!kg_arena_grow(&table->arena, &table->rows, table->row_count, &table->capacity,
                       sizeof *table->rows)) {
        table->failed = true;
        return NULL;
    }
    return &table->rows[table->row_count++];
}

const char *kg_table_cell(struct kg_table *table, struct kg_text *text)
{
    const char *cell = text->failed ? NULL : kg_arena_copy(&table->arena, kg_text_string(text));
    table->failed = table->failed || !cell;
    kg_text_free(text);
    return cell;
}

/* --- Ids ------------------------------------------------------------------------------------- */

static int text_compare(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Fills ids[i] with row i's first cell in at most `most` characters. cut: whether any was
 * shortened. */
static bool ids_fill(struct kg_table *table, size_t most, const char **ids, bool *cut)
{
    *cut = false;
    for (size_t r = 0; r < table->row_count; r++) {
        const char *cell = table->rows[r].cells[0];
        struct kg_text text = {0};
        kg_text_append_ends(&text, cell ? cell : "", most);
        ids[r] = text.failed ? NULL : kg_arena_copy(&table->arena, kg_text_string(&text));
        kg_text_free(&text);
        if (!ids[r])
            return false;
        *cut = *cut || (cell && strcmp(ids[r], cell) != 0);
    }
    return true;
}

static bool ids_distinct(const char *const *ids, size_t count, const char **sorted)
{
    memcpy(sorted, ids, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, text_compare);
    for (size_t i = 1; i < count; i++)
        if (!strcmp(sorted[i - 1], sorted[i]))
            return false;
    return true;
}

static bool ids_shorten(struct kg_table *table)
{
    const char **ids = kg_arena_alloc(&table->arena, 2 * table->row_count, sizeof *ids);
    bool cut = true;
    if (!ids)
        return false;
    for (size_t most = table->id_most; cut; most += most / 2 + 1) {
        if (!ids_fill(table, most, ids, &cut))
            return false;
        if (ids_distinct(ids, table->row_count, ids + table->row_count))
            break;
    }
    for (size_t r = 0; r < table->row_count; r++)
        table->rows[r].cells[0] = ids[r];
    return true;
}

/* --- Lines ----------------------------------------------------------------------------------- */

static void pad(struct kg_text *text, size_t count)
{
    kg_text_printf(text, "%*s", (int)count, "");
}

static const char *cell_of(const char *const *cells, size_t column)
{
    return cells[column] ? cells[column] : "";
}

/* Columns of a line that are printed. */
static size_t line_columns(const struct kg_table *table, const char *const *cells)
{
    size_t count = table->columns;
    while (table->trimmed && count && !*cell_of(cells, count - 1))
        count--;
    return count;
}

static void line_print(const struct kg_table *table, const char *const *cells, const size_t *widths,
                       const char *colour, struct kg_text *text)
{
    const size_t count = line_columns(table, cells);
    for (size_t c = 0; c < count; c++) {
        const char *cell = cell_of(cells, c);
        const size_t blanks = widths[c] - kg_text_width(cell);
        pad(text, c ? GAP : table->indent);
        if (!table->left[c])
            pad(text, blanks);
        if (c + 1 == table->columns && colour)
            kg_text_printf(text, "%s%s\x1b[0m", colour, cell);
        else
            kg_text_append(text, cell);
        if (table->left[c] && c + 1 < count)
            pad(text, blanks);
    }
    kg_text_append(text, "\n");
}

static void under_print(const char *under, bool colour, struct kg_text *text)
{
    while (under && *under) {
        const size_t length = strcspn(under, "\n");
        kg_text_printf(text, "      %s%.*s%s\n", colour ? "\x1b[2m" : "", (int)length, under,
                       colour ? "\x1b[0m" : "");
        under += length + (under[length] == '\n');
    }
}

static void widths_measure(const struct kg_table *table, size_t *widths)
{
    for (size_t c = 0; c < table->columns; c++) {
        widths[c] = kg_text_width(table->heads[c]);
        for (size_t r = 0; r < table->row_count; r++) {
            const size_t width = kg_text_width(cell_of(table->rows[r].cells, c));
            widths[c] = width > widths[c] ? width : widths[c];
        }
    }
}

void kg_table_print(struct kg_table *table, bool colour, struct kg_text *text)
{
    size_t widths[KG_TABLE_COLUMNS_MOST] = {0};
    if (table->id_most && table->row_count && !ids_shorten(table))
        table->failed = true;
    widths_measure(table, widths);
    line_print(table, table->heads, widths, colour ? "\x1b[0m" : NULL, text);
    for (size_t r = 0; r < table->row_count; r++) {
        const struct kg_table_row *row = &table->rows[r];
        line_print(table, row->cells, widths, colour ? row->colour : NULL, text);
        under_print(row->under, colour, text);
    }
    if (table->failed)
        text->failed = true;
}

void kg_table_free(struct kg_table *table)
{
    kg_arena_free(&table->arena);
}
