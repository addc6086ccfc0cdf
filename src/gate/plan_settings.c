#include "gate/plan_settings.h"

#include "model/baseline_index.h"

struct kg_round_limits *kg_planned_limits(struct kg_arena *arena, const struct kg_plan *plan)
{
    struct kg_round_limits *limits = kg_arena_alloc(arena, plan->case_count, sizeof *limits);
    for (size_t i = 0; i < plan->case_count; i++)
        limits[i] =
            (struct kg_round_limits){.least = (size_t)plan->cases[i].spec->settings.rounds_min,
                                     .most = (size_t)plan->cases[i].spec->settings.rounds_max};
    return limits;
}

static const struct kg_baseline_case *stored_case(const struct kg_prepared_suite *what,
                                                  const struct kg_baseline_index *stored,
                                                  size_t index)
{
    const struct kg_case *planned = &what->plan->cases[index];
    return kg_baseline_index_find(stored, planned->id, planned->definition_hash);
}

uint64_t *kg_planned_batches(struct kg_arena *arena, const struct kg_prepared_suite *what,
                             const struct kg_baseline *baseline)
{
    const struct kg_plan *plan = what->plan;
    struct kg_baseline_index index;
    uint64_t *batches = kg_arena_alloc(arena, plan->case_count, sizeof *batches);
    kg_baseline_index_make(arena, baseline, what->suite->name, false, &index);
    for (size_t i = 0; i < plan->case_count; i++) {
        const struct kg_baseline_case *stored = stored_case(what, &index, i);
        batches[i] = stored ? stored->batch : 0;
    }
    return batches;
}

enum kg_unchanged_code *kg_planned_unchanged(struct kg_arena *arena, const struct kg_plan *plan)
{
    enum kg_unchanged_code *unchanged = kg_arena_alloc(arena, plan->case_count, sizeof *unchanged);
    for (size_t i = 0; i < plan->case_count; i++)
        unchanged[i] = plan->cases[i].spec->settings.unchanged_code;
    return unchanged;
}

bool *kg_planned_skips(struct kg_arena *arena, const struct kg_plan *plan)
{
    bool *skips = kg_arena_alloc(arena, plan->case_count, sizeof *skips);
    for (size_t i = 0; i < plan->case_count; i++)
        skips[i] = plan->cases[i].spec->settings.unchanged_code == KG_UNCHANGED_SKIP;
    return skips;
}

double *kg_planned_round_ns(struct kg_arena *arena, const struct kg_prepared_suite *what,
                            const struct kg_baseline *baseline)
{
    const struct kg_plan *plan = what->plan;
    struct kg_baseline_index index;
    double *round_ns = kg_arena_alloc(arena, plan->case_count, sizeof *round_ns);
    kg_baseline_index_make(arena, baseline, what->suite->name, false, &index);
    for (size_t i = 0; i < plan->case_count; i++) {
        const struct kg_baseline_case *stored = stored_case(what, &index, i);
        if (stored)
            round_ns[i] =
                stored->round_ns > 0 ? stored->round_ns : plan->cases[i].spec->settings.min_time_ns;
    }
    return round_ns;
}

/* Number of the case's metrics that Holm's method may count. */
static size_t tested_metrics(const struct kg_case *planned)
{
    const struct kg_workload_spec *spec = planned->spec;
    size_t count = planned->skip_reason ? 0 : spec->counter_count;
    for (int kind = 0; kind < KG_METRIC_KINDS && !planned->skip_reason; kind++)
        count +=
            spec->settings.metrics & 1u << kind && kg_metric_rows[kind].proof != KG_PROOF_INTERVAL;
    return count;
}

size_t kg_planned_tests(const struct kg_prepared_suite *what, const struct kg_baseline *baseline)
{
    const struct kg_plan *plan = what->plan;
    struct kg_arena scratch = {0};
    struct kg_baseline_index index;
    size_t tests = 0;
    if (!what->shard)
        return 0;
    if (baseline)
        kg_baseline_index_make(&scratch, baseline, what->suite->name, true, &index);
    for (size_t i = 0; i < plan->case_count + plan->elsewhere_count; i++) {
        const struct kg_case *planned =
            i < plan->case_count ? &plan->cases[i] : &plan->elsewhere[i - plan->case_count];
        const size_t references = baseline
                                      ? kg_baseline_index_references(&index, baseline, planned->id,
                                                                     planned->definition_hash)
                                      : 1;
        tests += tested_metrics(planned) * references;
    }
    kg_arena_free(&scratch);
    return tests;
}

bool kg_planned_stored_find(struct kg_arena *arena, const struct kg_prepared_suite *what,
                            const char *directory, struct kg_planned_stored *stored,
                            struct kg_error *err)
{
    struct kg_baseline baseline;
    const char *path = kg_baseline_path(arena, directory, what->machine->fingerprint);
    *stored = (struct kg_planned_stored){NULL, NULL};
    if (!kg_baseline_load(path, &baseline, err))
        return false;
    stored->batches = kg_planned_batches(arena, what, &baseline);
    stored->round_ns = kg_planned_round_ns(arena, what, &baseline);
    kg_baseline_free(&baseline);
    return true;
}
