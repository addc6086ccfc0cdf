#include "show/case_figures.h"

#include <math.h>
#include <string.h>

#include "model/series.h"

#define REAL(name, unit, member)                                                                   \
    {                                                                                              \
        (name), (unit), offsetof(struct kg_case_result, member), false                             \
    }
#define COUNT(name, unit, member)                                                                  \
    {                                                                                              \
        (name), (unit), offsetof(struct kg_case_result, member), true                              \
    }

/* Figures with one value and no spread. The time and the workload's own figures are not in this table. */
static const struct single {
    const char *name;
    const char *unit;
    size_t offset;
    bool count; /* a uint64_t, 0: unknown; else a double */
} singles[] = {
    COUNT("peak_memory", "bytes", memory.peak_bytes),
    COUNT("allocated_memory", "bytes", memory.allocated_bytes),
    REAL("device_peak_memory", "bytes", memory.device_peak_bytes),
    REAL("items_per_second", "1/s", work.items_per_second),
    REAL("bytes_per_second", "1/s", work.bytes_per_second),
    REAL("flops_per_second", "1/s", work.flops_per_second),
    REAL("gpu_time", "ns", breakdown.gpu_ns),
    REAL("cpu_time", "ns", breakdown.cpu_ns),
    REAL("transfer_time", "ns", breakdown.transfer_ns),
    REAL("instructions", "", look.instructions),
};
enum { SINGLES = sizeof singles / sizeof *singles };

static const struct kg_tidy unknown = {.mean = NAN,
                                       .standard_deviation = NAN,
                                       .min = NAN,
                                       .max = NAN,
                                       .p95 = NAN,
                                       .interval_low = NAN,
                                       .interval_high = NAN};

static struct kg_tidy time_of(const struct kg_summary *summary)
{
    return (struct kg_tidy){.name = kg_metric_kind_names[KG_METRIC_TIME],
                            .unit = kg_metric_rows[KG_METRIC_TIME].unit,
                            .value = summary->median_ns,
                            .mean = summary->mean_ns,
                            .standard_deviation = summary->standard_deviation_ns,
                            .min = summary->min_ns,
                            .max = summary->max_ns,
                            .p95 = summary->p95_ns,
                            .interval_low = summary->interval_low_ns,
                            .interval_high = summary->interval_high_ns};
}

static double single_value(const struct kg_case_result *result, const struct single *single)
{
    double real;
    uint64_t count;
    memcpy(&real, (const char *)result + single->offset, sizeof real);
    memcpy(&count, (const char *)result + single->offset, sizeof count);
    return !single->count ? real : count ? (double)count : NAN;
}

static bool is_there(const struct kg_tidy *figures, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(figures[i].name, name))
            return true;
    return false;
}

void kg_tidy_of(struct kg_arena *arena, const struct kg_case_result *result,
                struct kg_tidy **figures, size_t *count)
{
    struct kg_figure *own;
    size_t own_count;
    *count = 0;
    kg_case_figures(arena, result, &own, &own_count);
    struct kg_tidy *found = *figures =
        kg_arena_alloc(arena, 1 + SINGLES + own_count, sizeof *found);
    if (!result->round_count)
        return;
    found[(*count)++] = time_of(&result->summary);
    for (size_t i = 0; i < SINGLES; i++) {
        struct kg_tidy *figure = &found[*count];
        *figure = unknown;
        figure->name = singles[i].name;
        figure->unit = singles[i].unit;
        figure->value = single_value(result, &singles[i]);
        *count += isfinite(figure->value) != 0;
    }
    for (size_t i = 0; i < own_count; i++) {
        if (is_there(found, *count, own[i].name))
            continue;
        struct kg_tidy *figure = &found[(*count)++];
        *figure = unknown;
        figure->name = own[i].name;
        figure->unit = own[i].unit;
        figure->own = kg_metric_kind_find(own[i].name) == KG_METRIC_KINDS;
        figure->value = own[i].value;
    }
}

void kg_tidy_parameters(struct kg_arena *arena, const struct kg_results *results,
                        struct kg_tidy_names *parameters)
{
    size_t capacity = 0;
    *parameters = (struct kg_tidy_names){0};
    for (size_t i = 0; i < results->case_count; i++)
        for (size_t p = 0; p < results->cases[i].param_count; p++) {
            const char *name = results->cases[i].params[p].name;
            size_t known = 0;
            while (known < parameters->count && strcmp(parameters->names[known], name) != 0)
                known++;
            if (known < parameters->count)
                continue;
            kg_arena_grow(arena, &parameters->names, parameters->count, &capacity,
                          sizeof *parameters->names);
            parameters->names[parameters->count++] = name;
        }
}

const char *kg_tidy_parameter(const struct kg_case_result *result, const char *name)
{
    for (size_t i = 0; i < result->param_count; i++)
        if (!strcmp(result->params[i].name, name))
            return result->params[i].value;
    return NULL;
}
