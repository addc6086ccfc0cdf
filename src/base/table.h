/* table.h: text in aligned columns: the one printer of tables. Cells are made first, so that widths
 * are known. A failed allocation is remembered and passed on when the table is printed. Not
 * thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/text.h"

enum { KG_TABLE_COLUMNS_MOST = 16, KG_TABLE_NEEDED = 10 };

struct kg_table_row {
    const char *cells[KG_TABLE_COLUMNS_MOST]; /* NULL is printed as "" */
    const char *colour;                       /* an escape sequence for the last cell, or NULL */
    const char *mark;  /* a symbol before the last cell, on a page alone; or NULL */
    const char *under; /* lines of their own below the row, separated by \n; or NULL */
};

/* Zero-initialise but for what describes the table. */
struct kg_table {
    size_t columns;
    const char *heads[KG_TABLE_COLUMNS_MOST];
    bool left[KG_TABLE_COLUMNS_MOST]; /* aligned left, else right */
    size_t indent;                    /* spaces before each line */
    bool trimmed;   /* a line ends after its last cell that is not empty; else it has all columns */
    size_t id_most; /* characters of the first column, which is cut (elide.h); 0: all */
    size_t width;   /* of a line, instead: columns give way and the first is cut, to 18 characters
                       at the least; 0: any */
    unsigned spare[KG_TABLE_COLUMNS_MOST]; /* the order in which columns give way: before the first
                       is cut to 32 characters, from KG_TABLE_NEEDED on only before 18; 0: never */
    /* the table's own */
    struct kg_arena arena; /* for rows, and for cells that have no other owner */
    struct kg_table_row *rows;
    size_t row_count;
    size_t capacity;
    bool failed;
};

/* A new empty row, valid until the next; NULL (and `failed`) where memory is out. */
struct kg_table_row *kg_table_row_add(struct kg_table *table);

/* A copy of the text as a cell; frees the text. NULL (and `failed`) where memory is out, also where
 * it was out when the text was made. */
const char *kg_table_cell(struct kg_table *table, struct kg_text *text);

/* Appends the heads and the rows to `text`, which has `failed` set if the table has. Two spaces are
 * between columns. */
void kg_table_print(struct kg_table *table, bool colour, struct kg_text *text);

/* Keeps the columns whose bit is set. */
void kg_table_columns_keep(struct kg_table *table, unsigned long kept_bits);

void kg_table_free(struct kg_table *table);
