/* profile_cells.h: figures of a profile as cells of a table (base/table.h). If memory is out, the result
 * is NULL and the table's `failed` is set. */
#pragma once
#include <stdint.h>

#include "base/table.h"

enum { KG_PROFILE_NAME_MOST = 120 }; /* characters of a name in a cell */

const char *kg_cell_count(struct kg_table *table, uint64_t value);
const char *kg_cell_duration(struct kg_table *table, double ns);
/* In per cent, one digit after the point; "-" for NaN. */
const char *kg_cell_share(struct kg_table *table, double share);
