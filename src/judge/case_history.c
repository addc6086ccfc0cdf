#include "judge/compare_parts.h"

#include "base/statistics/stats.h"

/* Stores the medians of a series in the newest MOST ordinary runs. */
static void medians_keep(struct kg_arena *arena, struct kg_arena *scratch,
                         const struct kg_reference *reference, const char *name, const char *source,
                         double **medians, size_t *count)
{
    enum { MOST = 32 };
    const size_t first = reference->case_count > MOST ? reference->case_count - MOST : 0;
    *count = 0;
    *medians = kg_arena_alloc(arena, reference->case_count - first, sizeof **medians);
    for (size_t i = first; i < reference->case_count; i++) {
        const struct kg_baseline_series *stored =
            kg_baseline_series_find(reference->cases[i], name, source);
        if (!stored || !stored->value_count)
            continue;
        double *room = kg_arena_alloc(scratch, stored->value_count, sizeof *room);
        (*medians)[(*count)++] = kg_median_of(stored->values, stored->value_count, room);
    }
}

void kg_past_keep(struct kg_arena *arena, struct kg_arena *scratch,
                  const struct kg_reference *reference, struct kg_case_change *change)
{
    medians_keep(arena, scratch, reference, kg_metric_kind_names[KG_METRIC_TIME],
                 KG_SERIES_OF_ROUNDS, &change->history, &change->history_count);
}

void kg_past_keep_metric(struct kg_arena *arena, struct kg_arena *scratch,
                         const struct kg_reference *reference, const struct kg_series *series,
                         struct kg_metric *metric)
{
    medians_keep(arena, scratch, reference, series->name, series->source, &metric->history,
                 &metric->history_count);
}
