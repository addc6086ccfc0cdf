#include <string.h>

#include "config/suite_message.h"
#include "config/suite_reader.h"
#include "util/units.h"

enum { NAME_MOST = 100 };
static const char *const keys[] = {"better", "threshold"};

/* Names stand in files, reports and in what a workload writes: no spaces, nothing to escape. */
static bool name_good(const char *name)
{
    const size_t length = strlen(name);
    return length > 0 && length <= NAME_MOST &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") ==
               length;
}

static bool listed(const char *const *names, const char *name)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

static bool better_read(const struct kg_suite_reader *reader, const struct kg_yaml_node *node,
                        struct kg_counter_spec *counter)
{
    char quoted[KG_QUOTE_BYTES];
    for (int i = 0; kg_better_names[i]; i++)
        if (!strcmp(node->text, kg_better_names[i])) {
            counter->better = (enum kg_better)i;
            return true;
        }
    return kg_reader_fail(reader, node->mark, "'better' is '%s', but must be lower or higher",
                          kg_quote(node->text, quoted));
}

static bool key_read(const struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                     struct kg_counter_spec *counter)
{
    char quoted[KG_QUOTE_BYTES];
    struct kg_text message = {0};
    const bool threshold = !strcmp(pair->key, "threshold");
    if (!threshold && strcmp(pair->key, "better") != 0) {
        kg_text_printf(&message, "unknown key '%s' in a counter", kg_quote(pair->key, quoted));
        kg_suggest_append(&message, pair->key, keys, 2, "known keys");
        return kg_reader_fail_text(reader, pair->mark, &message);
    }
    if (!kg_reader_expect(reader, pair, KG_YAML_SCALAR))
        return false;
    if (!threshold)
        return better_read(reader, pair->value, counter);
    if (kg_share_parse(pair->value->text, &counter->threshold) && counter->threshold <= 10)
        return true;
    return kg_reader_fail(reader, pair->value->mark,
                          "'threshold' is '%s', but must be a share with %%, such as 5%%",
                          kg_quote(pair->value->text, quoted));
}

static bool counter_read(const struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                         struct kg_counter_spec *counter)
{
    char quoted[KG_QUOTE_BYTES];
    *counter = (struct kg_counter_spec){.name = pair->key, .mark = pair->mark, .threshold = -1};
    if (!name_good(pair->key))
        return kg_reader_fail(reader, pair->mark,
                              "a counter cannot be called '%s': letters, digits, '_', '.' and "
                              "'-', at most %d",
                              kg_quote(pair->key, quoted), NAME_MOST);
    if (listed(kg_metric_kind_names, pair->key) || listed(kg_budget_metrics, pair->key))
        return kg_reader_fail(reader, pair->mark, "'%s' is kgate's own metric; choose another name",
                              pair->key);
    if (!kg_reader_expect(reader, pair, KG_YAML_MAPPING))
        return false;
    for (size_t i = 0; i < pair->value->count; i++)
        if (!key_read(reader, &pair->value->pairs[i], counter))
            return false;
    if (counter->threshold >= 0)
        return true;
    return kg_reader_fail(reader, pair->mark,
                          "counter '%s' needs a threshold, such as {better: lower, threshold: 5%%}",
                          pair->key);
}

bool kg_suite_counters_read(struct kg_suite_reader *reader, const struct kg_yaml_pair *counters,
                            struct kg_workload_spec *spec)
{
    if (!kg_reader_expect(reader, counters, KG_YAML_MAPPING))
        return false;
    const struct kg_yaml_node *node = counters->value;
    spec->counters = kg_arena_alloc(&reader->suite->arena, node->count, sizeof *spec->counters);
    if (!spec->counters)
        return kg_error_memory(reader->err);
    for (size_t i = 0; i < node->count; i++)
        if (!counter_read(reader, &node->pairs[i], &spec->counters[spec->counter_count++]))
            return false;
    return true;
}
