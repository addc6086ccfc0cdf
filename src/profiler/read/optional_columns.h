/* optional_columns.h: the table columns that only some rows can fill: threads and their balance, GPU and
 * CPU time, memory, bandwidth. A table leaves a column out if no row fills it. */
#pragma once
#include "base/table.h"
#include "profiler/read/profile.h"

/* The columns that these figures fill, as bits. */
unsigned kg_extras_noted(const struct kg_profile_figures *figures);

/* Adds those columns to the table, after its other columns. */
void kg_extras_heads(struct kg_table *table, unsigned shown);

/* Fills the row's cells of those columns, which are the table's last; "-" for an unknown figure. */
void kg_extras_cells(struct kg_table *table, struct kg_table_row *row,
                     const struct kg_profile_figures *figures, unsigned shown);
