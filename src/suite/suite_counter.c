#include <regex.h>
#include <stdio.h>
#include <string.h>

#include "base/json_tree.h"
#include "base/nearest.h"
#include "base/units.h"
#include "suite/suite_message.h"
#include "suite/suite_reader.h"

enum { NAME_MOST = 100 };

/* Files, reports and the output of workloads contain the names, so a name has no spaces and needs no escape. */
static bool name_good(const char *name)
{
    const size_t length = strlen(name);
    return length > 0 && length <= NAME_MOST &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") ==
               length;
}

/* A counter while the reader fills it. */
struct counter {
    struct kg_counter_spec *spec;
    struct kg_output_figure figure;
};

static bool better_read(const struct kg_suite_reader *reader, const struct kg_yaml_node *node,
                        struct counter *counter)
{
    char quoted[KG_QUOTE_BYTES];
    for (int i = 0; kg_better_names[i]; i++)
        if (!strcmp(node->text, kg_better_names[i])) {
            counter->spec->better = (enum kg_better)i;
            return true;
        }
    return kg_reader_fail(reader, node->mark, "'better' is '%s', but must be lower or higher",
                          kg_quote(node->text, quoted));
}

static bool threshold_read(const struct kg_suite_reader *reader, const struct kg_yaml_node *node,
                           struct counter *counter)
{
    char quoted[KG_QUOTE_BYTES];
    double *threshold = &counter->spec->threshold;
    if (kg_share_parse(node->text, threshold) && *threshold <= 10)
        return true;
    return kg_reader_fail(reader, node->mark,
                          "'threshold' is '%s', but must be a share with %%, such as 5%%",
                          kg_quote(node->text, quoted));
}

/* Reads the unit. kgate stores times in ns and sizes in bytes. */
static bool unit_read(const struct kg_suite_reader *reader, const struct kg_yaml_node *node,
                      struct counter *counter)
{
    char quoted[KG_QUOTE_BYTES], one[32];
    uint64_t bytes;
    snprintf(one, sizeof one, "1%.20s", node->text);
    if (kg_duration_parse(one, &counter->figure.scale))
        counter->spec->unit = "ns";
    else if (kg_size_parse(one, &bytes))
        counter->spec->unit = "bytes", counter->figure.scale = (double)bytes;
    else if (!strcmp(node->text, "J"))
        counter->spec->unit = "J";
    else
        return kg_reader_fail(reader, node->mark,
                              "'unit' is '%s', but must be a unit of time (ns, us, ms, s), of size "
                              "(B, kB, MB, KiB, MiB) or J; "
                              "leave it out for a number",
                              kg_quote(node->text, quoted));
    return true;
}

static bool json_read(const struct kg_suite_reader *reader, const struct kg_yaml_node *node,
                      struct counter *counter)
{
    char quoted[KG_QUOTE_BYTES];
    counter->figure.json = node->text;
    if (kg_json_pointer_good(node->text))
        return true;
    return kg_reader_fail(reader, node->mark,
                          "'json' is '%s', but must be a JSON pointer, such as /results/0/mean",
                          kg_quote(node->text, quoted));
}

static bool regex_read(const struct kg_suite_reader *reader, const struct kg_yaml_node *node,
                       struct counter *counter)
{
    char why[128];
    regex_t compiled;
    counter->figure.regex = node->text;
    const int code = regcomp(&compiled, node->text, REG_EXTENDED | REG_NEWLINE);
    if (code) {
        regerror(code, &compiled, why, sizeof why);
        return kg_reader_fail(reader, node->mark,
                              "'regex' is not an extended regular expression: %s", why);
    }
    const bool grouped = compiled.re_nsub > 0;
    regfree(&compiled);
    return grouped || kg_reader_fail(reader, node->mark,
                                     "'regex' has no group: put the number in brackets, such as "
                                     "'latency: ([0-9.]+)'");
}

static bool file_read(const struct kg_suite_reader *reader, const struct kg_yaml_node *node,
                      struct counter *counter)
{
    counter->figure.file = node->text;
    return kg_reader_text_check(reader, node->mark, "'file'", node->text, 4095, "");
}

static const struct counter_key {
    const char *name;
    bool (*read)(const struct kg_suite_reader *reader, const struct kg_yaml_node *node,
                 struct counter *counter);
} counter_keys[] = {
    {"better", better_read}, {"threshold", threshold_read}, {"unit", unit_read},
    {"json", json_read},     {"regex", regex_read},         {"file", file_read},
};
enum { KEYS = sizeof counter_keys / sizeof *counter_keys };

static bool key_read(const struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                     struct counter *counter)
{
    char quoted[KG_QUOTE_BYTES];
    const char *names[KEYS];
    struct kg_text message = {0};
    for (size_t i = 0; i < KEYS; i++) {
        names[i] = counter_keys[i].name;
        if (!strcmp(names[i], pair->key))
            return kg_reader_expect(reader, pair, KG_YAML_SCALAR) &&
                   counter_keys[i].read(reader, pair->value, counter);
    }
    kg_text_printf(&message, "unknown key '%s' in a counter", kg_quote(pair->key, quoted));
    kg_suggest_append(&message, pair->key, names, KEYS, "known keys");
    return kg_reader_fail_text(reader, pair->mark, &message);
}

/* Checks and stores the place of the counter in the command's output. */
static bool figure_take(const struct kg_suite_reader *reader, const struct counter *counter,
                        struct kg_workload_spec *spec)
{
    const struct kg_output_figure *figure = &counter->figure;
    const struct kg_mark mark = counter->spec->mark;
    if (figure->json && figure->regex)
        return kg_reader_fail(reader, mark, "counter '%s' has 'json' and 'regex'; keep one",
                              figure->name);
    if (figure->file && !figure->json && !figure->regex)
        return kg_reader_fail(
            reader, mark,
            "counter '%s' has a 'file', but neither 'json' nor 'regex'; add one to select "
            "the number",
            figure->name);
    if (!figure->json && !figure->regex)
        return true;
    spec->setting_marks.figures = mark;
    spec->setting.figures[spec->setting.figure_count++] = *figure;
    return true;
}

static bool counter_read(const struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                         struct kg_workload_spec *spec)
{
    char quoted[KG_QUOTE_BYTES];
    struct kg_counter_spec *own = &spec->counters[spec->counter_count++];
    struct counter counter = {.spec = own, .figure = {.name = pair->key, .scale = 1}};
    *own = (struct kg_counter_spec){.name = pair->key, .mark = pair->mark, .threshold = -1};
    if (!name_good(pair->key))
        return kg_reader_fail(
            reader, pair->mark,
            "a counter cannot be called '%s': use at most %d letters, digits, '_', '.' and '-'",
            kg_quote(pair->key, quoted), NAME_MOST);
    if (kg_metric_kind_find(pair->key) != KG_METRIC_KINDS || kg_suite_budget_is_own(pair->key))
        return kg_reader_fail(reader, pair->mark, "'%s' is kgate's own metric; choose another name",
                              pair->key);
    if (!kg_reader_expect(reader, pair, KG_YAML_MAPPING))
        return false;
    for (size_t i = 0; i < pair->value->count; i++)
        if (!key_read(reader, &pair->value->pairs[i], &counter))
            return false;
    if (own->threshold >= 0)
        return figure_take(reader, &counter, spec);
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
    spec->setting.figures =
        kg_arena_alloc(&reader->suite->arena, node->count, sizeof *spec->setting.figures);
    for (size_t i = 0; i < node->count; i++)
        if (!counter_read(reader, &node->pairs[i], spec))
            return false;
    return true;
}
