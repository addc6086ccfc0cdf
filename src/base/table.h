/* table.h: prints text in aligned columns; the one printer of tables. The caller makes all cells
 * first, so that widths are known. A failed allocation is remembered and passed on when the table
 * is printed. Not thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/text.h"

enum { KG_TABLE_COLUMNS_MOST = 20, KG_TABLE_NEEDED = 10 };

struct kg_table_row {
    const char *cells[KG_TABLE_COLUMNS_MOST]; /* NULL is printed as "" */
    const char *colour;                       /* an escape sequence for the last cell, or NULL */
    const char *mark;  /* a symbol before the last cell, on a page alone; or NULL */
    const char *under; /* lines of their own below the row, separated by \n; or NULL */
};

/* Zero-initialise all fields except the table's description. */
struct kg_table {
    size_t columns;
    const char *heads[KG_TABLE_COLUMNS_MOST];
    bool left[KG_TABLE_COLUMNS_MOST]; /* aligned left, else right */
    size_t indent;                    /* spaces before each line */
    bool trimmed;   /* a line ends after its last non-empty cell; else it has all columns */
    size_t id_most; /* most characters of the first column, which is cut (elide.h); 0: no limit */
    /* most characters of a line; 0: no limit. If set, columns give way and the first is cut, to
     * 18 characters at least */
    size_t width;
    /* order in which columns give way; 0: never. Below KG_TABLE_NEEDED: before the first is cut
     * to 32 characters. From there on: only before 18 */
    unsigned spare[KG_TABLE_COLUMNS_MOST];
    /* internal */
    struct kg_arena arena; /* for rows, and for cells without another owner */
    struct kg_table_row *rows;
    size_t row_count;
    size_t capacity;
    bool failed;
};

/* A new empty row, valid until the next; NULL (and `failed`) if memory is out. */
struct kg_table_row *kg_table_row_add(struct kg_table *table);

/* A copy of the text as a cell; frees the text. NULL (and `failed`) if memory is out, or was out
 * when the text was made. */
const char *kg_table_cell(struct kg_table *table, struct kg_text *text);

/* Appends heads and rows to `text`, with two spaces between columns. If the table has `failed`,
 * `text` gets it too. */
void kg_table_print(struct kg_table *table, bool colour, struct kg_text *text);

/* Keeps the columns whose bit is set. */
void kg_table_columns_keep(struct kg_table *table, unsigned long kept_bits);

void kg_table_free(struct kg_table *table);
