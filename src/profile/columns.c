#include "profile/columns.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "util/escape.h"
#include "util/units.h"

/* --- Cells ----------------------------------------------------------------------------------- */

void kg_columns_text(struct kg_columns *columns, const char *text)
{
    if (columns->cell_count == columns->capacity) {
        const size_t capacity = columns->capacity ? 2 * columns->capacity : 128;
        const char **cells = realloc(columns->cells, capacity * sizeof *cells);
        columns->failed = columns->failed || !cells;
        if (!cells)
            return;
        columns->cells = cells;
        columns->capacity = capacity;
    }
    const char *copy = kg_arena_copy(&columns->arena, text);
    columns->failed = columns->failed || !copy;
    if (copy)
        columns->cells[columns->cell_count++] = copy;
}

void kg_columns_count(struct kg_columns *columns, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, value);
    kg_columns_text(columns, text);
}

void kg_columns_ns(struct kg_columns *columns, double ns)
{
    char text[KG_UNIT_BYTES];
    kg_columns_text(columns, kg_duration_format(ns, text));
}

void kg_columns_share(struct kg_columns *columns, double share)
{
    char text[32] = "-";
    if (!isnan(share))
        snprintf(text, sizeof text, "%.1f", 100 * share);
    kg_columns_text(columns, text);
}

/* --- Lines ----------------------------------------------------------------------------------- */

static void line_print(const struct kg_columns *columns, const char *const *cells,
                       const size_t *widths, struct kg_text *text)
{
    size_t count = columns->count;
    while (count && !cells[count - 1][0])
        count--;
    for (size_t c = 0; c < count; c++) {
        const size_t pad = widths[c] - kg_text_width(cells[c]);
        if (c)
            kg_text_append(text, "  ");
        if (!columns->left[c])
            kg_text_printf(text, "%*s", (int)pad, "");
        kg_text_append(text, cells[c]);
        if (columns->left[c] && c + 1 < count)
            kg_text_printf(text, "%*s", (int)pad, "");
    }
    kg_text_append(text, "\n");
}

void kg_columns_print(struct kg_columns *columns, struct kg_text *text)
{
    size_t widths[KG_COLUMNS_MOST];
    for (size_t c = 0; c < columns->count; c++) {
        widths[c] = kg_text_width(columns->heads[c]);
        for (size_t i = c; i < columns->cell_count; i += columns->count)
            if (kg_text_width(columns->cells[i]) > widths[c])
                widths[c] = kg_text_width(columns->cells[i]);
    }
    if (!columns->failed)
        line_print(columns, columns->heads, widths, text);
    for (size_t i = 0; i + columns->count <= columns->cell_count; i += columns->count)
        line_print(columns, columns->cells + i, widths, text);
    text->failed = text->failed || columns->failed;
    kg_arena_free(&columns->arena);
    free(columns->cells);
    columns->cells = NULL;
    columns->cell_count = columns->capacity = 0;
}
