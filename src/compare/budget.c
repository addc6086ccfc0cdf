#include "compare/budget.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

/* What a budget's metric is called, measured in, and where results have it. */
struct figure {
    const char *name;
    const char *unit;
    void (*format)(double value, char *text); /* text has 2 * KG_UNIT_BYTES bytes */
    double value;
};

static bool figure_find(const struct kg_case_result *result, const char *name,
                        struct figure *figure)
{
    const struct kg_case_work *work = &result->work;
    const struct figure figures[] = {
        {"time", "ns", format_duration, result->summary.median_ns},
        {"peak_memory", "bytes", format_size, (double)result->memory.peak_bytes},
        {"items_per_second", "1/s", format_rate, work->items_per_second},
        {"bytes_per_second", "1/s", format_rate, work->bytes_per_second},
        {"flops_per_second", "1/s", format_rate, work->flops_per_second},
    };
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        if (!strcmp(figures[i].name, name)) {
            *figure = figures[i];
            return true;
        }
    *figure = (struct figure){name, "1/s", format_rate, NAN};
    return false;
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

bool kg_budget_judge(struct kg_arena *arena, const struct kg_case_result *result,
                     const struct kg_limit *budget, struct kg_metric *metric)
{
    struct figure figure;
    const bool at_least = !strcmp(budget->relation, ">=");
    const bool known = figure_find(result, budget->metric, &figure) && isfinite(figure.value);
    *metric = (struct kg_metric){
        .name = kg_arena_copy(arena, budget->metric),
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
    if (!known) {
        metric->change = KG_CHANGE_INCONCLUSIVE;
        metric->reason = kg_arena_printf(
            arena, "there is a budget for %s, but the workload does not say it", budget->metric);
    } else if (at_least ? figure.value < budget->limit : figure.value > budget->limit) {
        metric->change = KG_CHANGE_REGRESSION;
        metric->reason = violation(arena, &figure, budget);
    }
    return metric->name && (metric->change == KG_CHANGE_NO_CHANGE || metric->reason);
}
