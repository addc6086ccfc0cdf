/* extras.h: columns of a table that are there only where a row has something to say in them:
 * threads and their balance, GPU and CPU time, memory, bandwidth. */
#pragma once
#include "profile/columns.h"
#include "profile/profile.h"

/* The columns that these figures fill, as bits. */
unsigned kg_extras_told(const struct kg_profile_figures *figures);

/* Adds the heads of those columns; before any cells. */
void kg_extras_heads(struct kg_columns *columns, unsigned told);

/* Adds their cells, "-" for what is not known. */
void kg_extras_cells(struct kg_columns *columns, const struct kg_profile_figures *figures,
                     unsigned told);
