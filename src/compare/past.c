#include "compare/past.h"

#include "stats/stats.h"

static const struct kg_baseline_series *time_of(const struct kg_baseline_case *stored)
{
    return kg_baseline_series_find(stored, kg_metric_kind_names[KG_METRIC_TIME],
                                   KG_SERIES_OF_ROUNDS);
}

bool kg_past_keep(struct kg_arena *arena, struct kg_arena *scratch,
                  const struct kg_reference *reference, struct kg_case_change *change)
{
    enum { MOST = 32 };
    const size_t first = reference->case_count > MOST ? reference->case_count - MOST : 0;
    change->history = kg_arena_alloc(arena, reference->case_count - first, sizeof *change->history);
    if (!change->history)
        return false;
    for (size_t i = first; i < reference->case_count; i++) {
        const struct kg_baseline_series *time = time_of(reference->cases[i]);
        if (!time || !time->value_count)
            continue;
        double *room = kg_arena_alloc(scratch, time->value_count, sizeof *room);
        if (!room)
            return false;
        change->history[change->history_count++] =
            kg_file_precision(kg_median_of(time->values, time->value_count, room));
    }
    return true;
}
