#include <string.h>

#include "base/nearest.h"
#include "base/units.h"
#include "kgate/device.h"
#include "suite/suite_message.h"
#include "suite/suite_reader.h"

/* The notation of a metric's limit. */
struct metric {
    const char *name;
    const char *example;
    bool (*read)(const char *text, double *limit);
};

static bool size_read(const char *text, double *limit)
{
    uint64_t bytes;
    if (!kg_size_parse(text, &bytes))
        return false;
    *limit = (double)bytes;
    return true;
}

/* kgate's own budget metrics. */
static const struct metric metrics[] = {
    {"time", "<= 5ms", kg_duration_parse},
    {"peak_memory", "<= 64MiB", size_read},
    {"items_per_second", ">= 100e3", kg_number_parse},
    {"bytes_per_second", ">= 10e9", kg_number_parse},
    {"flops_per_second", ">= 1e9", kg_number_parse},
    {KG_SPEEDUP_OVER_CPU, ">= 30", kg_number_parse},
};

enum { METRIC_COUNT = sizeof metrics / sizeof metrics[0], LIMITS_MOST = 2 };

static const char *const relation_names[] = {[KG_AT_LEAST] = ">=", [KG_AT_MOST] = "<="};

/* The limit of a counter has the counter's unit. */
static struct metric counter_metric(const struct kg_counter_spec *counter)
{
    struct metric metric = {counter->name, ">= 4", kg_number_parse};
    if (counter->unit && !strcmp(counter->unit, "ns"))
        metric.example = "<= 5ms", metric.read = kg_duration_parse;
    if (counter->unit && !strcmp(counter->unit, "bytes"))
        metric.example = "<= 64MiB", metric.read = size_read;
    return metric;
}

/* kgate's own metric `name`; NULL for any other name. */
static const struct metric *own_metric(const char *name)
{
    for (size_t i = 0; i < METRIC_COUNT; i++)
        if (!strcmp(metrics[i].name, name))
            return &metrics[i];
    return NULL;
}

bool kg_suite_budget_is_own(const char *metric)
{
    return own_metric(metric) != NULL;
}

/* Finds one of kgate's own metrics, or a counter of the workload. */
static bool metric_find(const struct kg_workload_spec *spec, const char *name,
                        struct metric *metric)
{
    const struct metric *own = own_metric(name);
    if (own) {
        *metric = *own;
        return true;
    }
    for (size_t i = 0; i < spec->counter_count; i++)
        if (!strcmp(spec->counters[i].name, name)) {
            *metric = counter_metric(&spec->counters[i]);
            return true;
        }
    return false;
}

static bool metric_unknown(const struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                           const struct kg_workload_spec *spec)
{
    struct kg_text message = {0};
    char quoted[KG_QUOTE_BYTES];
    const size_t count = METRIC_COUNT + spec->counter_count;
    const char **names = kg_arena_alloc(&reader->suite->arena, count, sizeof *names);
    for (size_t i = 0; i < METRIC_COUNT; i++)
        names[i] = metrics[i].name;
    for (size_t i = 0; i < spec->counter_count; i++)
        names[METRIC_COUNT + i] = spec->counters[i].name;
    kg_text_printf(&message, "unknown metric '%s' in budget", kg_quote(pair->key, quoted));
    kg_suggest_append(&message, pair->key, names, count,
                      "known metrics, with those under the workload's 'counters'");
    return kg_reader_fail_text(reader, pair->mark, &message);
}

/* ">= 100e3" into relation and limit. */
static bool limit_parse(const struct metric *metric, const char *text, struct kg_budget *budget)
{
    if ((text[0] != '>' && text[0] != '<') || text[1] != '=')
        return false;
    budget->relation = text[0] == '>' ? KG_AT_LEAST : KG_AT_MOST;
    text += 2;
    text += strspn(text, " ");
    return metric->read(text, &budget->limit) && budget->limit > 0;
}

/* Whether the limit is a number that lacks the metric's unit: "<= 2" of a time. */
static bool is_without_unit(const struct metric *metric, const char *text)
{
    double number;
    return (text[0] == '>' || text[0] == '<') && text[1] == '=' &&
           metric->read != kg_number_parse &&
           kg_number_parse(text + 2 + strspn(text + 2, " "), &number) && number > 0;
}

static bool limit_read(const struct kg_suite_reader *reader, const struct metric *metric,
                       const struct kg_yaml_node *node, struct kg_budget *budget)
{
    char quoted[KG_QUOTE_BYTES];
    if (node->kind != KG_YAML_SCALAR)
        return kg_reader_fail(reader, node->mark,
                              "budget '%s' must be a limit, such as \"%s\", or a list of two",
                              metric->name, metric->example);
    if (limit_parse(metric, node->text, budget))
        return true;
    if (is_without_unit(metric, node->text))
        return kg_reader_fail(reader, node->mark,
                              "budget '%s': '%s' has no unit; write for example \"%s\"",
                              metric->name, kg_quote(node->text, quoted), metric->example);
    return kg_reader_fail(reader, node->mark,
                          "budget '%s' is '%s', but must be >= or <= and a limit above 0, "
                          "such as \"%s\"",
                          metric->name, kg_quote(node->text, quoted), metric->example);
}

/* Two limits must form a range: one lower and one upper limit. */
static bool range_check(const struct kg_suite_reader *reader, const struct kg_yaml_node *node,
                        const struct kg_budget *first, const struct kg_budget *second)
{
    const struct kg_budget *least = first->relation == KG_AT_LEAST ? first : second;
    const struct kg_budget *most = first->relation == KG_AT_LEAST ? second : first;
    if (first->relation == second->relation)
        return kg_reader_fail(reader, node->mark,
                              "budget '%s' has '%s' twice; a range is one '>=' and one '<='",
                              first->metric, relation_names[first->relation]);
    return least->limit <= most->limit ||
           kg_reader_fail(reader, node->mark,
                          "budget '%s' has its '>=' above its '<=', so no value meets both",
                          first->metric);
}

/* Reads the limit of a metric, or the two limits of a range. */
static bool limits_read(const struct kg_suite_reader *reader, const struct metric *metric,
                        const struct kg_yaml_pair *pair, struct kg_workload_spec *spec)
{
    const struct kg_yaml_node *node = pair->value;
    const bool list = node->kind == KG_YAML_SEQUENCE;
    const size_t count = list ? node->count : 1;
    struct kg_budget *budgets = &spec->budgets[spec->budget_count];
    if (list && (count < 1 || count > LIMITS_MOST))
        return kg_reader_fail(reader, node->mark, "budget '%s' has %zu limits; give one or two",
                              metric->name, count);
    for (size_t i = 0; i < count; i++) {
        budgets[i] = (struct kg_budget){.metric = metric->name, .mark = pair->mark};
        if (!limit_read(reader, metric, list ? node->items[i] : node, &budgets[i]))
            return false;
    }
    spec->budget_count += count;
    return count < LIMITS_MOST || range_check(reader, node, &budgets[0], &budgets[1]);
}

/* The speedup over the CPU needs a case on the CPU. If the workload has no case on the GPU, kgate skips the check. */
static bool speedup_check(const struct kg_suite_reader *reader, const struct kg_workload_spec *spec)
{
    for (size_t i = 0; i < spec->budget_count; i++)
        if (!strcmp(spec->budgets[i].metric, KG_SPEEDUP_OVER_CPU) &&
            spec->settings.devices == 1U << KGATE_DEVICE_CUDA)
            return kg_reader_fail(reader, spec->budgets[i].mark,
                                  "budget '" KG_SPEEDUP_OVER_CPU "' compares with the case on the "
                                  "CPU, but `devices` of this workload is only cuda; write "
                                  "devices: [cpu, cuda]");
    return true;
}

bool kg_suite_budget_read(struct kg_suite_reader *reader, const struct kg_yaml_pair *budget,
                          struct kg_workload_spec *spec)
{
    struct metric metric;
    if (!kg_reader_expect(reader, budget, KG_YAML_MAPPING))
        return false;
    const struct kg_yaml_node *node = budget->value;
    spec->budgets =
        kg_arena_alloc(&reader->suite->arena, LIMITS_MOST * node->count, sizeof *spec->budgets);
    for (size_t i = 0; i < node->count; i++)
        if (!metric_find(spec, node->pairs[i].key, &metric))
            return metric_unknown(reader, &node->pairs[i], spec);
        else if (!limits_read(reader, &metric, &node->pairs[i], spec))
            return false;
    return speedup_check(reader, spec);
}
