#include "base/table.h"

#include <string.h>

#include "base/elide.h"
#include "base/escape.h"

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

/* The first cells in at most `most` characters, or more if necessary to keep them apart; NULL if
 * memory is out. */
static const char **ids_cut(struct kg_table *table, size_t most)
{
    const char **ids = kg_arena_alloc(&table->arena, 2 * table->row_count, sizeof *ids);
    const char **whole = ids ? ids + table->row_count : NULL;
    for (size_t r = 0; ids && r < table->row_count; r++)
        whole[r] = table->rows[r].cells[0] ? table->rows[r].cells[0] : "";
    return ids && kg_elide(&table->arena, whole, table->row_count, most, ids) ? ids : NULL;
}

static bool ids_shorten(struct kg_table *table)
{
    const char **ids = ids_cut(table, table->id_most);
    if (!ids)
        return false;
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

/* Number of printed columns of a line. */
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

/* --- Units ------------------------------------------------------------------------------------ */

/* Characters of the unit in "12.3 us", "1.50 GiB", "5 %"; 0 if the cell is no number with a
 * unit. */
static size_t unit_width(const char *cell)
{
    const char *blank = strchr(cell, ' ');
    if (!blank || blank == cell || strchr(blank + 1, ' '))
        return 0;
    return strspn(cell, "+-.0123456789e") == (size_t)(blank - cell) ? kg_text_width(blank + 1) : 0;
}

/* Aligns the units of a column: "1.05 s " above "12.3 ms". */
static bool units_align(struct kg_table *table)
{
    for (size_t c = 0; c < table->columns; c++) {
        size_t most = 0;
        for (size_t r = 0; r < table->row_count; r++) {
            const size_t width = unit_width(cell_of(table->rows[r].cells, c));
            most = width > most ? width : most;
        }
        for (size_t r = 0; r < table->row_count && !table->left[c]; r++) {
            const char *cell = cell_of(table->rows[r].cells, c);
            const size_t width = unit_width(cell);
            if (!width || width == most)
                continue;
            table->rows[r].cells[c] =
                kg_arena_printf(&table->arena, "%s%*s", cell, (int)(most - width), "");
            if (!table->rows[r].cells[c])
                return false;
        }
    }
    return true;
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

/* --- Widths ----------------------------------------------------------------------------------- */

/* Width of the first column, in characters: other columns give way until it has ID_LEGIBLE; it
 * always has ID_LEAST. */
enum { ID_LEGIBLE = 32, ID_LEAST = 18 };

/* Characters of all columns except the first. */
static size_t others_width(const struct kg_table *table, const size_t *widths)
{
    size_t others = table->indent;
    for (size_t c = 1; c < table->columns; c++)
        others += GAP + widths[c];
    return others;
}

void kg_table_columns_keep(struct kg_table *table, unsigned long kept_bits)
{
    size_t kept = 0;
    for (size_t c = 0; c < table->columns; c++) {
        if (!(kept_bits & 1UL << c))
            continue;
        for (size_t r = 0; r < table->row_count; r++)
            table->rows[r].cells[kept] = table->rows[r].cells[c];
        table->heads[kept] = table->heads[c];
        table->spare[kept] = table->spare[c];
        table->left[kept++] = table->left[c];
    }
    table->columns = kept;
}

/* The column that gives way next; 0: none does. */
static size_t spare_find(const struct kg_table *table)
{
    size_t found = 0;
    for (size_t c = 1; c < table->columns; c++)
        if (table->spare[c] && (!found || table->spare[c] < table->spare[found]))
            found = c;
    return found;
}

/* Characters of the first column after a cut to a legible width. */
static size_t id_width_legible(struct kg_table *table)
{
    const char **ids = ids_cut(table, ID_LEGIBLE);
    size_t width = kg_text_width(table->heads[0]);
    table->failed = table->failed || !ids;
    for (size_t r = 0; ids && r < table->row_count; r++)
        width = kg_text_width(ids[r]) > width ? kg_text_width(ids[r]) : width;
    return width;
}

/* Removes columns until the others leave room for the first. */
static void columns_fit(struct kg_table *table, size_t *widths)
{
    const size_t legible = id_width_legible(table);
    const size_t least = legible < ID_LEAST ? legible : ID_LEAST;
    size_t column;
    while ((column = spare_find(table))) {
        const size_t id_width = table->spare[column] < KG_TABLE_NEEDED ? legible : least;
        if (others_width(table, widths) + id_width <= table->width)
            return;
        kg_table_columns_keep(table, ((1UL << table->columns) - 1) & ~(1UL << column));
        widths_measure(table, widths);
    }
}

/* Sets the largest width of the first column. */
static void id_most_fit(struct kg_table *table, const size_t *widths)
{
    const size_t others = others_width(table, widths);
    table->id_most = others + ID_LEAST < table->width ? table->width - others : ID_LEAST;
}

void kg_table_print(struct kg_table *table, bool colour, struct kg_text *text)
{
    size_t widths[KG_TABLE_COLUMNS_MOST] = {0};
    table->failed = !units_align(table) || table->failed;
    widths_measure(table, widths);
    if (table->width) {
        columns_fit(table, widths);
        id_most_fit(table, widths);
    }
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
