#include "profile/columns.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/utf8.h"
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

/* Characters of valid UTF-8. */
static size_t width_of(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static void line_print(const struct kg_columns *columns, const char *const *cells,
                       const size_t *widths, struct kg_text *text)
{
    size_t count = columns->count;
    while (count && !cells[count - 1][0])
        count--;
    for (size_t c = 0; c < count; c++) {
        const size_t pad = widths[c] - width_of(cells[c]);
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
        widths[c] = width_of(columns->heads[c]);
        for (size_t i = c; i < columns->cell_count; i += columns->count)
            if (width_of(columns->cells[i]) > widths[c])
                widths[c] = width_of(columns->cells[i]);
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

/* --- Names ----------------------------------------------------------------------------------- */

/* C0, DEL, C1, and what makes text read in another order than it is. */
static bool is_harmful(const unsigned char *s, size_t length)
{
    if (length == 1)
        return s[0] < 0x20 || s[0] == 0x7f;
    if (length == 2)
        return s[0] == 0xc2 && s[1] < 0xa0;
    return s[0] == 0xe2 && ((s[1] == 0x80 && s[2] >= 0xa8 && s[2] <= 0xae) ||
                            (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9));
}

void kg_name_append(struct kg_text *text, const char *name, size_t most)
{
    const unsigned char *s = (const unsigned char *)name;
    size_t left = strlen(name);
    for (size_t count = 0; left; count++) {
        const size_t length = kg_utf8_length(s, left), used = length ? length : 1;
        if (count == most) {
            kg_text_append(text, "…");
            return;
        }
        if (length && !is_harmful(s, length))
            kg_text_append_bytes(text, (const char *)s, length);
        else
            for (size_t i = 0; i < used; i++)
                kg_text_printf(text, "\\x%02x", s[i]);
        s += used;
        left -= used;
    }
}
