#include "report/cells.h"

#include <math.h>
#include <string.h>

#include "util/units.h"

const char *kg_cell_value(struct kg_arena *arena, const struct kg_metric *metric, double value)
{
    char text[KG_UNIT_BYTES];
    if (isnan(value))
        return "-";
    if (!strcmp(metric->unit, "ns"))
        return kg_arena_copy(arena, kg_duration_format(value, text));
    if (!strcmp(metric->unit, "bytes"))
        return kg_arena_copy(arena, kg_size_format(value, text));
    return kg_arena_printf(arena, "%s/s", kg_rate_format(value, text));
}

const char *kg_cell_change(struct kg_arena *arena, const struct kg_metric *metric)
{
    char text[KG_UNIT_BYTES];
    return kg_arena_copy(arena, kg_change_format(metric->ratio, text));
}

const char *kg_cell_interval(struct kg_arena *arena, const struct kg_metric *metric)
{
    if (!isfinite(metric->interval_low) || !isfinite(metric->interval_high))
        return "";
    return kg_arena_printf(arena, "%+.1f … %+.1f %%", 100 * (metric->interval_low - 1),
                           100 * (metric->interval_high - 1));
}

const char *kg_cell_metric(struct kg_arena *arena, const struct kg_metric *metric)
{
    const bool ordinary = !strcmp(metric->against, "baseline");
    if (!strcmp(metric->name, "time") && ordinary)
        return "";
    return kg_arena_printf(arena, "%s%s%s", metric->name, ordinary ? "" : " against ",
                           ordinary ? "" : metric->against);
}
