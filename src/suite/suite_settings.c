#include <stddef.h>
#include <string.h>

#include "base/nearest.h"
#include "suite/suite_message.h"
#include "suite/suite_reader.h"

enum { KEYS_MOST = 64 };

/* The struct that stores the key's value. */
static void *base_of(struct kg_suite *suite, const struct kg_key *key, struct kg_settings *settings)
{
    switch (key->base) {
    case KG_BASE_POLICY:
        return &suite->policy;
    case KG_BASE_SUGGEST:
        return &suite->suggest;
    default:
        return settings;
    }
}

/* If a suite names its metrics, each named metric counts as asked for. If it names min_time, no metric changes it, and
 * an inherited number of iterations ends. */
static void naming_note(const struct kg_key *key, struct kg_settings *settings)
{
    if (key->base != KG_BASE_SETTINGS)
        return;
    if (key->offset == offsetof(struct kg_settings, metrics))
        settings->unasked_metrics = 0;
    if (key->offset != offsetof(struct kg_settings, min_time_ns))
        return;
    settings->min_time_named = true;
    settings->iterations = 0;
}

bool kg_suite_length_check(const struct kg_suite_reader *reader, const struct kg_yaml_node *mapping)
{
    const struct kg_yaml_pair *iterations = kg_yaml_find(mapping, "iterations");
    const struct kg_yaml_pair *min_time = kg_yaml_find(mapping, "min_time");
    return !iterations || !min_time || iterations->rank != min_time->rank ||
           kg_reader_fail(reader, iterations->mark,
                          "'iterations' and 'min_time' both set the length of a round; write one");
}

bool kg_suite_length_hidden(const struct kg_yaml_node *mapping, const struct kg_yaml_pair *pair)
{
    const char *other = !strcmp(pair->key, "iterations") ? "min_time"
                        : !strcmp(pair->key, "min_time") ? "iterations"
                                                         : NULL;
    const struct kg_yaml_pair *found = other ? kg_yaml_find(mapping, other) : NULL;
    return found && found->rank < pair->rank;
}

void kg_suite_min_time_settle(struct kg_settings *settings)
{
    static const double ENERGY_NS = 1e9;
    if (!settings->min_time_named && settings->metrics & 1u << KG_METRIC_ENERGY)
        settings->min_time_ns = ENERGY_NS;
}

/* Reads the words of a key's value: the items of a set's list, or a single scalar. */
static bool words_read(const struct kg_suite_reader *reader, const struct kg_key *key,
                       const struct kg_yaml_node *node, const char ***words, size_t *count)
{
    char quoted[KG_QUOTE_BYTES];
    const bool list = node->kind == KG_YAML_SEQUENCE;
    if (key->type == KG_KEY_SET && node->kind == KG_YAML_SCALAR)
        return kg_reader_fail(reader, node->mark, "'%s' is '%s', but must be a list; write [%s]",
                              key->name, kg_quote(node->text, quoted),
                              *node->text ? quoted : key->names[0]);
    const struct kg_yaml_pair pair = {key->name, node->mark, node, 0};
    if (!kg_reader_expect(reader, &pair,
                          key->type == KG_KEY_SET ? KG_YAML_SEQUENCE : KG_YAML_SCALAR))
        return false;
    *count = list ? node->count : 1;
    *words = kg_arena_alloc(&reader->suite->arena, *count, sizeof **words);
    for (size_t i = 0; i < *count; i++) {
        const struct kg_yaml_node *item = list ? node->items[i] : node;
        if (item->kind != KG_YAML_SCALAR)
            return kg_reader_fail(reader, item->mark, "'%s' must be a list of words", key->name);
        (*words)[i] = item->text;
    }
    return true;
}

static bool key_read(const struct kg_suite_reader *reader, const struct kg_key *key,
                     const struct kg_yaml_node *node, struct kg_settings *settings)
{
    const char **words = NULL;
    size_t count = 0, bad;
    struct kg_text message = {0};
    void *base = base_of(reader->suite, key, settings);
    if (!words_read(reader, key, node, &words, &count))
        return false;
    if (kg_key_set(key, base, words, count, &bad, &message)) {
        naming_note(key, settings);
        kg_text_free(&message);
        return true;
    }
    const struct kg_mark mark =
        node->kind == KG_YAML_SEQUENCE && bad < node->count ? node->items[bad]->mark : node->mark;
    return kg_reader_fail_text(reader, mark, &message);
}

/* The first row of the group `name`, such as `rounds`; NULL if the table has no such group. */
static const struct kg_key *group_find(const struct kg_key_table *table, const char *name)
{
    const size_t length = strlen(name);
    for (size_t i = 0; i < table->count; i++)
        if (!strncmp(table->keys[i].name, name, length) && table->keys[i].name[length] == '.')
            return &table->keys[i];
    return NULL;
}

static bool group_key_unknown(const struct kg_suite_reader *reader,
                              const struct kg_key_table *table, const struct kg_yaml_pair *group,
                              const struct kg_yaml_pair *pair)
{
    const char *names[KEYS_MOST];
    char quoted[KG_QUOTE_BYTES];
    size_t count = 0;
    const size_t length = strlen(group->key);
    struct kg_text message = {0};
    for (size_t i = 0; i < table->count && count < KEYS_MOST; i++)
        if (!strncmp(table->keys[i].name, group->key, length) && table->keys[i].name[length] == '.')
            names[count++] = table->keys[i].name + length + 1;
    kg_text_printf(&message, "unknown key '%s' in %s", kg_quote(pair->key, quoted), group->key);
    kg_suggest_append(&message, pair->key, names, count, "known keys");
    return kg_reader_fail_text(reader, pair->mark, &message);
}

static bool group_read(struct kg_suite_reader *reader, const struct kg_key_table *table,
                       const struct kg_yaml_pair *group, struct kg_settings *settings)
{
    if (group->value->kind == KG_YAML_SCALAR)
        return kg_reader_fail(reader, group->value->mark,
                              "'%s' must be a mapping, such as {min: 5, max: 30}", group->key);
    if (!kg_reader_expect(reader, group, KG_YAML_MAPPING))
        return false;
    for (size_t i = 0; i < group->value->count; i++) {
        const struct kg_yaml_pair *pair = &group->value->pairs[i];
        const char *name = kg_arena_printf(&reader->suite->arena, "%s.%s", group->key, pair->key);
        const struct kg_key *key = kg_key_find(table, name);
        if (!key)
            return group_key_unknown(reader, table, group, pair);
        if (!key_read(reader, key, pair->value, settings))
            return false;
    }
    reader->rounds_mark = group->mark;
    return true;
}

/* Reads a single key or a group of the table. If the table has neither, *known is false. */
static bool pair_read(struct kg_suite_reader *reader, const struct kg_key_table *table,
                      const struct kg_yaml_pair *pair, struct kg_settings *settings, bool *known)
{
    const bool dotted = strchr(pair->key, '.') != NULL;
    const struct kg_key *key = dotted ? NULL : kg_key_find(table, pair->key);
    *known = true;
    if (key)
        return key_read(reader, key, pair->value, settings);
    if (!dotted && group_find(table, pair->key))
        return group_read(reader, table, pair, settings);
    *known = false;
    return true;
}

bool kg_suite_section_read(struct kg_suite_reader *reader, const struct kg_key_table *table,
                           const struct kg_yaml_pair *section)
{
    if (!kg_reader_expect(reader, section, KG_YAML_MAPPING))
        return false;
    for (size_t i = 0; i < section->value->count; i++) {
        const struct kg_yaml_pair *pair = &section->value->pairs[i];
        bool known;
        if (kg_suite_length_hidden(section->value, pair))
            continue;
        if (!pair_read(reader, table, pair, &reader->suite->defaults, &known))
            return false;
        if (!known)
            return kg_reader_unknown_key(reader, pair, table->title, &table, 1);
    }
    return kg_suite_length_check(reader, section->value);
}

bool kg_suite_key_read(struct kg_suite_reader *reader, const struct kg_yaml_node *root,
                       const char *name)
{
    const struct kg_yaml_pair *pair = kg_yaml_find(root, name);
    return !pair || key_read(reader, kg_key_find(&kg_suite_keys, name), pair->value,
                             &reader->suite->defaults);
}

bool kg_suite_override_read(struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                            struct kg_settings *settings, bool *known)
{
    const struct kg_key *key = kg_key_find(&kg_default_keys, pair->key);
    *known = true;
    if (key && kg_key_is_suite_wide(key))
        return kg_reader_fail(reader, pair->mark,
                              "'%s' stands for the whole suite; set it in defaults, not in a "
                              "workload",
                              pair->key);
    return pair_read(reader, &kg_default_keys, pair, settings, known);
}

bool kg_suite_rounds_check(const struct kg_suite_reader *reader, const struct kg_settings *settings,
                           const char *override)
{
    char quoted[KG_QUOTE_BYTES];
    const unsigned long long min = settings->rounds_min, max = settings->rounds_max;
    if (min <= max)
        return true;
    if (override)
        return kg_error_set(reader->err, KG_ERROR_USAGE,
                            "--set %s: rounds.min is %llu, but rounds.max only %llu",
                            kg_quote(override, quoted), min, max);
    return kg_reader_fail(reader, reader->rounds_mark,
                          "rounds.min is %llu, but rounds.max only %llu", min, max);
}

/* The prefix of each table's keys in --set. */
static const struct set_table {
    const char *prefix;
    const struct kg_key_table *table;
    const char *example;
} set_tables[] = {
    {"policy.", &kg_policy_keys, "policy.missing_device=fail"},
    {"suggest.", &kg_suggest_keys, "suggest.min_gain=5%"},
    {"", &kg_default_keys, "threshold=2%"}, /* last: the empty prefix matches every name */
};
enum { SET_TABLES = sizeof set_tables / sizeof *set_tables };

static const struct set_table *set_table_find(const char *name)
{
    const struct set_table *found = set_tables;
    while (strncmp(name, found->prefix, strlen(found->prefix)) != 0)
        found++;
    return found;
}

/* Sets the error for an unknown key, with the known keys of the table `meant`. Without a prefix: of all tables. */
static bool set_unknown(const struct kg_suite_reader *reader, const char *override,
                        const char *name, const struct set_table *meant)
{
    const char *names[KEYS_MOST];
    size_t count = 0;
    char quoted[KG_QUOTE_BYTES], quoted_name[KG_QUOTE_BYTES];
    struct kg_text message = {0};
    for (size_t t = SET_TABLES; t-- > 0;)
        for (size_t i = 0; i < set_tables[t].table->count && count < KEYS_MOST; i++) {
            if (*meant->prefix && meant != &set_tables[t])
                continue;
            names[count++] = kg_arena_printf(&reader->suite->arena, "%s%s", set_tables[t].prefix,
                                             set_tables[t].table->keys[i].name);
        }
    kg_text_printf(&message, "--set %s: unknown key '%s'", kg_quote(override, quoted),
                   kg_quote(name, quoted_name));
    kg_suggest_append(&message, name, names, count, "known keys");
    kg_error_set(reader->err, KG_ERROR_USAGE, "%s", kg_text_string(&message));
    kg_text_free(&message);
    return false;
}

static bool value_set(const struct kg_suite_reader *reader, const char *override,
                      const struct kg_key *key, const char *value)
{
    char quoted[KG_QUOTE_BYTES];
    struct kg_text message = {0};
    void *base = base_of(reader->suite, key, &reader->suite->defaults);
    const bool good = kg_key_set_text(key, base, value, &message);
    naming_note(key, &reader->suite->defaults);
    if (!good)
        kg_error_set(reader->err, KG_ERROR_USAGE, "--set %s: %s", kg_quote(override, quoted),
                     kg_text_string(&message));
    kg_text_free(&message);
    return good;
}

bool kg_suite_set(struct kg_suite_reader *reader, const char *override)
{
    char quoted[KG_QUOTE_BYTES];
    char *name = kg_arena_copy(&reader->suite->arena, override);
    const struct set_table *meant = set_table_find(name);
    char *equals = strchr(name, '=');
    if (!equals || equals == name)
        return kg_error_set(reader->err, KG_ERROR_USAGE, "--set %s: write key=value, such as %s",
                            kg_quote(override, quoted), meant->example);
    *equals = '\0';
    const struct kg_key *key = kg_key_find(meant->table, name + strlen(meant->prefix));
    if (!key)
        key = kg_key_find(&kg_suite_keys, name);
    if (!key || key->base == KG_BASE_OTHER)
        return set_unknown(reader, override, name, meant);
    return value_set(reader, override, key, equals + 1);
}
