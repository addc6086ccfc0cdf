#include "judge/budget.h"

#include <math.h>
#include <string.h>

#include "base/statistics/stats.h"
#include "kgate/plugin.h"
#include "model/disturbance.h"
#include "model/series.h"
#include "model/suite.h"

/* A metric that a budget can limit: name, unit and value. */
struct figure {
    const char *name;
    const char *unit;
    double value;        /* NaN: unknown */
    const char *unknown; /* reason why the value is unknown, printed after "but" */
};

void kg_budget_grounds_start(struct kg_budget_grounds *grounds, struct kg_arena *arena,
                             struct kg_arena *scratch, const struct kg_results *results)
{
    *grounds = (struct kg_budget_grounds){.arena = arena, .scratch = scratch, .results = results};
    kg_counterparts_index(scratch, results, &grounds->counterparts);
}

bool kg_budget_applies(const struct kg_case_result *result, const struct kg_limit *budget)
{
    return strcmp(budget->metric, KG_SPEEDUP_OVER_CPU) != 0 ||
           !strcmp(result->device, kg_device_names[KGATE_DEVICE_CUDA]);
}

static const char *counterpart_unknown(const struct kg_budget_grounds *grounds,
                                       const struct kg_case_result *on_cpu)
{
    if (on_cpu)
        return kg_arena_printf(grounds->arena, "%s is %s%s%s", on_cpu->id,
                               kg_status_names[on_cpu->status], on_cpu->reason ? ": " : "",
                               on_cpu->reason ? on_cpu->reason : "");
    if (grounds->results->filter)
        return kg_arena_printf(grounds->arena, "the case on the CPU was left out (%s)",
                               grounds->results->filter);
    return "there is no case on the CPU: add `cpu` to the suite's `devices`";
}

/* The two cases may be timed in different ways. The CPU case only has to exist. */
static void speedup_find(const struct kg_budget_grounds *grounds,
                         const struct kg_case_result *result, struct figure *figure)
{
    const struct kg_case_result *on_cpu = kg_counterpart_find(&grounds->counterparts, result);
    if (on_cpu && on_cpu->status == KG_STATUS_OK && on_cpu->round_count)
        figure->value = on_cpu->summary.median_ns / result->summary.median_ns;
    else
        figure->unknown = counterpart_unknown(grounds, on_cpu);
}

/* Median over the rounds of a series: a counter of the workload, or a metric. */
static void series_find(const struct kg_budget_grounds *grounds,
                        const struct kg_case_result *result, const char *name,
                        struct figure *figure)
{
    for (size_t i = 0; i < result->series_count; i++) {
        const struct kg_series *series = &result->series[i];
        const size_t count = kg_series_count(result, series);
        if (strcmp(series->name, name) != 0 || !kg_series_by_round(series) || !count)
            continue;
        const double *values = kg_series_values(grounds->scratch, result, series);
        double *scratch = kg_arena_alloc(grounds->scratch, count, sizeof *scratch);
        figure->unit = kg_series_unit(series);
        figure->value = kg_median_of(values, count, scratch);
    }
}

static void figure_find(const struct kg_budget_grounds *grounds,
                        const struct kg_case_result *result, const char *name,
                        struct figure *figure)
{
    static const char unsaid[] = "the workload does not report it";
    const struct kg_case_work *work = &result->work;
    const struct figure figures[] = {
        {kg_metric_kind_names[KG_METRIC_TIME], "ns", result->summary.median_ns, unsaid},
        {kg_metric_kind_names[KG_METRIC_PEAK_MEMORY], "bytes", (double)result->memory.peak_bytes,
         unsaid},
        {"items_per_second", "1/s", work->items_per_second, unsaid},
        {"bytes_per_second", "1/s", work->bytes_per_second, unsaid},
        {"flops_per_second", "1/s", work->flops_per_second, unsaid},
    };
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        if (!strcmp(figures[i].name, name)) {
            *figure = figures[i];
            return;
        }
    *figure = (struct figure){name, "", NAN, unsaid};
    if (strcmp(name, KG_SPEEDUP_OVER_CPU) != 0) {
        series_find(grounds, result, name, figure);
        return;
    }
    speedup_find(grounds, result, figure);
}

/* Whether CPU contention can change the value. It cannot change memory, or counts from a separate run. */
static bool may_wait(const struct kg_case_result *result, const struct figure *figure)
{
    const struct kg_series *counted = kg_case_series(result, kg_metric_kind_find(figure->name));
    return strcmp(figure->unit, "bytes") != 0 && !(counted && !kg_series_by_round(counted));
}

/* Marks the value as unknown if the rounds waited too long for a CPU. */
static void busy_refuse(const struct kg_budget_grounds *grounds,
                        const struct kg_case_result *result, struct figure *figure)
{
    char words[KG_DISTURBANCE_WORDS];
    const struct kg_disturbance found = kg_disturbance_of(result);
    if (!kg_disturbance_too_busy(&found) || !may_wait(result, figure))
        return;
    figure->value = NAN;
    figure->unknown = kg_arena_copy(grounds->arena, kg_disturbance_words(&found, words));
}

void kg_budget_judge(const struct kg_budget_grounds *grounds, const struct kg_case_result *result,
                     const struct kg_limit *budget, struct kg_metric *metric)
{
    struct figure figure;
    const bool at_least = !strcmp(budget->relation, ">=");
    figure_find(grounds, result, budget->metric, &figure);
    busy_refuse(grounds, result, &figure);
    *metric = (struct kg_metric){
        .name = kg_arena_copy(grounds->arena, budget->metric),
        .against = kg_against_names[KG_AGAINST_BUDGET],
        .unit = figure.unit,
        .baseline = budget->limit,
        .current = figure.value,
        .ratio = figure.value / budget->limit,
        KG_METRIC_NOT_ESTIMATED,
        .better = at_least ? KG_BETTER_HIGHER : KG_BETTER_LOWER,
        .change = KG_CHANGE_NO_CHANGE,
    };
    if (!isfinite(figure.value)) {
        metric->change = KG_CHANGE_INCONCLUSIVE;
        metric->doubt = KG_DOUBT_BUDGET_UNKNOWN;
        metric->cause = figure.unknown;
    } else if (at_least ? figure.value < budget->limit : figure.value > budget->limit) {
        metric->change = KG_CHANGE_REGRESSION;
        metric->doubt = KG_DOUBT_BUDGET_MISSED;
    }
}
