#include "judge/compare_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics/stats.h"
#include "judge/ranking.h"

/* Median time of a stored case, in ns; NaN: none is stored. */
static double median_of(const struct kg_baseline_case *stored, struct kg_arena *scratch)
{
    const struct kg_baseline_series *time =
        kg_baseline_series_find(stored, kg_metric_kind_names[KG_METRIC_TIME], KG_SERIES_OF_ROUNDS);
    if (!time)
        return NAN;
    double *room = kg_arena_alloc(scratch, time->value_count, sizeof *room);
    return kg_median_of(time->values, time->value_count, room);
}

static void removed_make(struct kg_arena *arena, const char *id, bool missing,
                         struct kg_case_change *change)
{
    const char *slash = strchr(id, '/'), *last = strrchr(id, '/');
    *change = (struct kg_case_change){
        .id = kg_arena_copy(arena, id),
        .workload = kg_arena_copy_bytes(arena, id, slash ? (size_t)(slash - id) : strlen(id)),
        .device = kg_arena_copy(arena, last ? last + 1 : ""),
        .change = KG_CHANGE_REMOVED,
        .missing = missing,
        .reason = "in the baseline, but no longer in the suite",
        .instability = NAN,
        .time_ns = NAN,
        .baseline_time_ns = NAN};
}

static const char **ids_sorted(struct kg_arena *scratch, const struct kg_results *results)
{
    const char **ids = kg_arena_alloc(scratch, results->case_count, sizeof *ids);
    for (size_t i = 0; ids && i < results->case_count; i++)
        ids[i] = results->cases[i].id;
    if (ids)
        qsort(ids, results->case_count, sizeof *ids, kg_compare_ids);
    return ids;
}

void kg_removed_append(const struct kg_baseline_run *newest, const struct kg_results *current,
                       bool missing, struct kg_arena *scratch, struct kg_comparison *comparison)
{
    if (current->filter || !current->complete)
        return;
    /* sorted on first use; most suites keep the order of their cases and need no search */
    const char **ids = NULL;
    for (size_t j = 0; j < newest->case_count; j++) {
        const char *id = newest->cases[j].id;
        if (j < current->case_count && !strcmp(id, current->cases[j].id))
            continue;
        if (!ids)
            ids = ids_sorted(scratch, current);
        if (bsearch(&id, ids, current->case_count, sizeof *ids, kg_compare_ids))
            continue;
        struct kg_case_change *change = &comparison->cases[comparison->case_count++];
        removed_make(&comparison->arena, id, missing, change);
        change->baseline_time_ns = median_of(&newest->cases[j], scratch);
        change->order = current->case_count;
    }
}
