#include "compare/budget.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "config/suite.h"
#include "kgate/plugin.h"
#include "stats/stats.h"
#include "util/units.h"

static void format_rate(double value, char *text)
{
    char number[KG_UNIT_BYTES];
    snprintf(text, 2 * KG_UNIT_BYTES, "%s/s", kg_rate_format(value, number));
}

static void format_duration(double value, char *text)
{
    kg_duration_format(value, text);
}

static void format_size(double value, char *text)
{
    kg_size_format(value, text);
}

static void format_number(double value, char *text)
{
    kg_rate_format(value, text);
}

/* What a budget's metric is called, measured in, and where results have it. */
struct figure {
    const char *name;
    const char *unit;
    void (*format)(double value, char *text); /* text has 2 * KG_UNIT_BYTES bytes */
    double value;                             /* NaN where it is not known */
    const char *unknown;                      /* then why, after "but"; NULL where memory is out */
};

bool kg_budget_grounds_start(struct kg_budget_grounds *grounds, struct kg_arena *arena,
                             struct kg_arena *scratch, const struct kg_results *results)
{
    *grounds = (struct kg_budget_grounds){.arena = arena, .scratch = scratch, .results = results};
    return kg_counterparts_index(scratch, results, &grounds->counterparts);
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
        return kg_arena_printf(grounds->arena, "its case on the CPU was left out (%s)",
                               grounds->results->filter);
    return "it has no case on the CPU: the suite's `devices` do not name it";
}

/* However the case on the GPU is timed: there is one on the CPU. */
static void speedup_find(const struct kg_budget_grounds *grounds,
                         const struct kg_case_result *result, struct figure *figure)
{
    const struct kg_case_result *on_cpu = kg_counterpart_find(&grounds->counterparts, result);
    if (on_cpu && on_cpu->status == KG_STATUS_OK && on_cpu->round_count)
        figure->value = on_cpu->summary.median_ns / result->summary.median_ns;
    else
        figure->unknown = counterpart_unknown(grounds, on_cpu);
}

/* The median over the rounds of what the workload itself reports. */
static bool counter_find(const struct kg_budget_grounds *grounds,
                         const struct kg_case_result *result, const char *name,
                         struct figure *figure)
{
    for (size_t i = 0; i < result->counter_count; i++) {
        const struct kg_counter *counter = &result->counters[i];
        if (strcmp(counter->name, name) != 0 ||
            strcmp(counter->source, KG_COUNTER_OF_WORKLOAD) != 0 || !counter->value_count)
            continue;
        double *room = kg_arena_alloc(grounds->scratch, counter->value_count, sizeof *room);
        if (!room)
            return false;
        figure->value = kg_median_of(counter->values, counter->value_count, room);
    }
    return true;
}

/* false where memory is out. */
static bool figure_find(const struct kg_budget_grounds *grounds,
                        const struct kg_case_result *result, const char *name,
                        struct figure *figure)
{
    static const char unsaid[] = "the workload does not say it";
    const struct kg_case_work *work = &result->work;
    const struct figure figures[] = {
        {"time", "ns", format_duration, result->summary.median_ns, unsaid},
        {"peak_memory", "bytes", format_size, (double)result->memory.peak_bytes, unsaid},
        {"items_per_second", "1/s", format_rate, work->items_per_second, unsaid},
        {"bytes_per_second", "1/s", format_rate, work->bytes_per_second, unsaid},
        {"flops_per_second", "1/s", format_rate, work->flops_per_second, unsaid},
    };
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        if (!strcmp(figures[i].name, name)) {
            *figure = figures[i];
            return true;
        }
    *figure = (struct figure){name, "", format_number, NAN, unsaid};
    if (strcmp(name, KG_SPEEDUP_OVER_CPU) != 0)
        return counter_find(grounds, result, name, figure);
    speedup_find(grounds, result, figure);
    return true;
}

/* "items_per_second is 81.0 k/s, below the budget of >= 100 k/s" */
static const char *violation(struct kg_arena *arena, const struct figure *figure,
                             const struct kg_limit *budget)
{
    char value[2 * KG_UNIT_BYTES], limit[2 * KG_UNIT_BYTES];
    const bool below = figure->value < budget->limit;
    figure->format(figure->value, value);
    figure->format(budget->limit, limit);
    if (!strcmp(value, limit)) /* rounded to the same digits, but not the same */
        return kg_arena_printf(arena, "%s is %.10g, %s the budget of %s %.10g", figure->name,
                               figure->value, below ? "below" : "above", budget->relation,
                               budget->limit);
    return kg_arena_printf(arena, "%s is %s, %s the budget of %s %s", figure->name, value,
                           below ? "below" : "above", budget->relation, limit);
}

bool kg_budget_judge(const struct kg_budget_grounds *grounds, const struct kg_case_result *result,
                     const struct kg_limit *budget, struct kg_metric *metric)
{
    struct figure figure;
    const bool at_least = !strcmp(budget->relation, ">=");
    if (!figure_find(grounds, result, budget->metric, &figure))
        return false;
    *metric = (struct kg_metric){
        .name = kg_arena_copy(grounds->arena, budget->metric),
        .against = "budget",
        .unit = figure.unit,
        .baseline = budget->limit,
        .current = figure.value,
        .ratio = figure.value / budget->limit,
        .interval_low = NAN,
        .interval_high = NAN,
        .p_value = NAN,
        .noise_floor = NAN,
        .pace_shift = NAN,
        .pace_exponent = NAN,
        .pace_doubt = NAN,
        .cycles_ratio = NAN,
        .cycles_low = NAN,
        .cycles_high = NAN,
        .memory_doubt = NAN,
        .change = KG_CHANGE_NO_CHANGE,
    };
    if (!isfinite(figure.value)) {
        metric->change = KG_CHANGE_INCONCLUSIVE;
        if (figure.unknown)
            metric->reason = kg_arena_printf(grounds->arena, "there is a budget for %s, but %s",
                                             budget->metric, figure.unknown);
    } else if (at_least ? figure.value < budget->limit : figure.value > budget->limit) {
        metric->change = KG_CHANGE_REGRESSION;
        metric->reason = violation(grounds->arena, &figure, budget);
    }
    return metric->name && (metric->change == KG_CHANGE_NO_CHANGE || metric->reason);
}
