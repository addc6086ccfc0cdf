/* columns.h: text in aligned columns, for the reports of a profile. A failed allocation is
 * remembered. Not thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/arena.h"
#include "util/text.h"

enum { KG_COLUMNS_MOST = 16, KG_COLUMN_NAME_MOST = 120 };

/* Zero-initialise but for the first three. */
struct kg_columns {
    size_t count;
    const char *heads[KG_COLUMNS_MOST];
    bool left[KG_COLUMNS_MOST]; /* aligned left, else right */
    struct kg_arena arena;
    const char **cells; /* row by row */
    size_t cell_count, capacity;
    bool failed;
};

/* Each adds the next cell. */
void kg_columns_text(struct kg_columns *columns, const char *text);
void kg_columns_count(struct kg_columns *columns, uint64_t value);
void kg_columns_ns(struct kg_columns *columns, double ns);
/* A share as per cent, one digit after the point; "-" where it is NaN. */
void kg_columns_share(struct kg_columns *columns, double share);

/* Appends the heads and the rows, two spaces between columns, and frees all. */
void kg_columns_print(struct kg_columns *columns, struct kg_text *text);
