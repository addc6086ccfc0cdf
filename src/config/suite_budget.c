#include <string.h>

#include "config/suite_message.h"
#include "config/suite_reader.h"
#include "util/units.h"

/* What a metric's limit is written in. */
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

/* In the order of kg_budget_metrics. */
static const struct metric metrics[] = {
    {"time", "<= 5ms", kg_duration_parse},
    {"peak_memory", "<= 64MiB", size_read},
    {"items_per_second", ">= 100e3", kg_number_parse},
    {"bytes_per_second", ">= 10e9", kg_number_parse},
    {"flops_per_second", ">= 1e9", kg_number_parse},
};

enum { METRIC_COUNT = sizeof metrics / sizeof metrics[0] };

static const struct metric *metric_find(const char *name)
{
    for (size_t i = 0; i < METRIC_COUNT; i++)
        if (!strcmp(metrics[i].name, name))
            return &metrics[i];
    return NULL;
}

static bool metric_unknown(const struct kg_suite_reader *reader, const struct kg_yaml_pair *pair)
{
    struct kg_text message = {0};
    char quoted[KG_QUOTE_BYTES];
    kg_text_printf(&message, "unknown metric '%s' in budget", kg_quote(pair->key, quoted));
    kg_suggest_append(&message, pair->key, kg_budget_metrics, METRIC_COUNT, "known metrics");
    return kg_reader_fail_text(reader, pair->mark, &message);
}

/* ">= 100e3" into relation and limit. */
static bool limit_read(const struct metric *metric, const char *text, struct kg_budget *budget)
{
    if ((text[0] != '>' && text[0] != '<') || text[1] != '=')
        return false;
    budget->relation = text[0] == '>' ? KG_AT_LEAST : KG_AT_MOST;
    text += 2;
    text += strspn(text, " ");
    return metric->read(text, &budget->limit) && budget->limit > 0;
}

bool kg_suite_budget_read(struct kg_suite_reader *reader, const struct kg_yaml_pair *budget,
                          struct kg_workload_spec *spec)
{
    char quoted[KG_QUOTE_BYTES];
    if (!kg_reader_expect(reader, budget, KG_YAML_MAPPING))
        return false;
    const struct kg_yaml_node *node = budget->value;
    spec->budgets = kg_arena_alloc(&reader->suite->arena, node->count, sizeof *spec->budgets);
    if (!spec->budgets)
        return kg_error_memory(reader->err);
    for (size_t i = 0; i < node->count; i++) {
        const struct kg_yaml_pair *pair = &node->pairs[i];
        const struct metric *metric = metric_find(pair->key);
        if (!metric)
            return metric_unknown(reader, pair);
        if (!kg_reader_expect(reader, pair, KG_YAML_SCALAR))
            return false;
        struct kg_budget *limit = &spec->budgets[spec->budget_count++];
        limit->metric = metric->name;
        limit->mark = pair->mark;
        if (!limit_read(metric, pair->value->text, limit))
            return kg_reader_fail(reader, pair->value->mark,
                                  "budget '%s' is '%s', but must be >= or <= and a limit above 0, "
                                  "such as \"%s\"",
                                  metric->name, kg_quote(pair->value->text, quoted),
                                  metric->example);
    }
    return true;
}
