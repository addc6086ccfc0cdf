#include "profiler/read/profile_cells.h"

#include <inttypes.h>
#include <math.h>

#include "base/units.h"

const char *kg_cell_count(struct kg_table *table, uint64_t value)
{
    struct kg_text text = {0};
    kg_text_printf(&text, "%" PRIu64, value);
    return kg_table_cell(table, &text);
}

const char *kg_cell_duration(struct kg_table *table, double ns)
{
    char duration[KG_UNIT_BYTES];
    struct kg_text text = {0};
    kg_text_append(&text, kg_duration_format(ns, duration));
    return kg_table_cell(table, &text);
}

const char *kg_cell_share(struct kg_table *table, double share)
{
    struct kg_text text = {0};
    if (isnan(share))
        return "-";
    kg_text_printf(&text, "%.1f", 100 * share);
    return kg_table_cell(table, &text);
}
