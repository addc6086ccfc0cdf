#include "judge/budget_results.h"

#include "judge/budget.h"
#include "judge/reasons.h"

static void case_judge(const struct kg_budget_grounds *grounds, const struct kg_case_result *result,
                       struct kg_held *held)
{
    const char *missed = NULL, *unknown = NULL;
    for (size_t b = 0; b < result->budget_count; b++) {
        struct kg_metric metric;
        if (!kg_budget_applies(result, &result->budgets[b]))
            continue;
        kg_budget_judge(grounds, result, &result->budgets[b], &metric);
        kg_reason_make(grounds->arena, &metric);
        held->count++;
        held->missed += metric.change == KG_CHANGE_REGRESSION;
        held->unknown += metric.change == KG_CHANGE_INCONCLUSIVE;
        if (metric.change == KG_CHANGE_REGRESSION && !missed)
            missed = metric.reason;
        if (metric.change == KG_CHANGE_INCONCLUSIVE && !unknown)
            unknown = metric.reason;
    }
    held->reason = missed ? missed : unknown;
}

struct kg_held *kg_budgets_held(struct kg_arena *arena, const struct kg_results *results)
{
    struct kg_arena scratch = {0};
    struct kg_budget_grounds grounds;
    struct kg_held *held = kg_arena_alloc(arena, results->case_count, sizeof *held);
    kg_budget_grounds_start(&grounds, arena, &scratch, results);
    for (size_t i = 0; i < results->case_count; i++) {
        const struct kg_case_result *result = &results->cases[i];
        if (result->status == KG_STATUS_OK && result->round_count)
            case_judge(&grounds, result, &held[i]);
    }
    kg_arena_free(&scratch);
    return held;
}
