#include "gate/planned.h"

struct kg_round_limits *kg_planned_limits(struct kg_arena *arena, const struct kg_plan *plan)
{
    struct kg_round_limits *limits = kg_arena_alloc(arena, plan->case_count, sizeof *limits);
    for (size_t i = 0; limits && i < plan->case_count; i++)
        limits[i] =
            (struct kg_round_limits){.least = (size_t)plan->cases[i].spec->settings.rounds_min,
                                     .most = (size_t)plan->cases[i].spec->settings.rounds_max};
    return limits;
}

uint64_t *kg_planned_batches(struct kg_arena *arena, const struct kg_prepared_suite *what,
                             const struct kg_baseline *baseline)
{
    const struct kg_plan *plan = what->plan;
    uint64_t *batches = kg_arena_alloc(arena, plan->case_count, sizeof *batches);
    for (size_t i = 0; batches && i < plan->case_count; i++)
        batches[i] = kg_baseline_batch(baseline, what->suite->name, plan->cases[i].id,
                                       plan->cases[i].definition_hash);
    return batches;
}

bool *kg_planned_skips(struct kg_arena *arena, const struct kg_plan *plan)
{
    bool *skips = kg_arena_alloc(arena, plan->case_count, sizeof *skips);
    for (size_t i = 0; skips && i < plan->case_count; i++)
        skips[i] = plan->cases[i].spec->settings.unchanged_code == KG_UNCHANGED_SKIP;
    return skips;
}
