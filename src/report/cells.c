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

void kg_cell_counts(const struct kg_comparison *comparison, struct kg_text *text)
{
    const struct kg_change_counts *counts = &comparison->counts;
    const struct {
        size_t count;
        const char *word;
    } words[] = {{counts->failed, "failed"},
                 {counts->regression, "regressed"},
                 {counts->inconclusive, "inconclusive"},
                 {counts->new_case, "new"},
                 {counts->removed, "removed"},
                 {counts->skipped, "skipped"},
                 {counts->improvement, "improved"},
                 {counts->no_change, "unchanged"}};
    const char *separator = ": ";
    kg_text_printf(text, "%zu case%s", comparison->case_count,
                   comparison->case_count == 1 ? "" : "s");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].count) {
            kg_text_printf(text, "%s%zu %s", separator, words[i].count, words[i].word);
            separator = ", ";
        }
}
