/* optional_columns.h: columns that a table has only if one of its rows fills them: threads and their balance,
 * GPU and CPU time, memory, bandwidth. */
#pragma once
#include "base/table.h"
#include "profiler/read/profile.h"

/* The columns that these figures fill, as bits. */
unsigned kg_extras_told(const struct kg_profile_figures *figures);

/* Adds those columns to the table, behind what it has. */
void kg_extras_heads(struct kg_table *table, unsigned told);

/* Fills the row's cells of those columns, which are the table's last; "-" for what is unknown. */
void kg_extras_cells(struct kg_table *table, struct kg_table_row *row,
                     const struct kg_profile_figures *figures, unsigned told);
