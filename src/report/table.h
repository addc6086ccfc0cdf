/* table.h: text in aligned columns. Cells are made first, so that widths are known. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "util/arena.h"
#include "util/text.h"

enum { KG_TABLE_COLUMNS_MOST = 8 };

struct kg_table_row {
    const char *cells[KG_TABLE_COLUMNS_MOST];
    const char *colour; /* an escape sequence for the last cell, or NULL */
    const char *under;  /* lines of their own below the row, parted by \n; or NULL */
};

struct kg_table {
    struct kg_arena arena;
    size_t columns;
    size_t id_most; /* characters of the first column, from the middle of which the rest is taken;
                       more where ids would no longer be told apart; 0: all */
    const char *heads[KG_TABLE_COLUMNS_MOST];
    bool left[KG_TABLE_COLUMNS_MOST]; /* aligned left, else right */
    struct kg_table_row *rows;
    size_t row_count;
    size_t capacity;
    bool failed;
};

/* A new empty row, or NULL (and `failed`) where memory is out. */
struct kg_table_row *kg_table_row_add(struct kg_table *table);
/* Appends the table, each line indented by two. */
void kg_table_print(struct kg_table *table, bool colour, struct kg_text *text);
void kg_table_free(struct kg_table *table);
