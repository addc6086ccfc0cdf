#include <string.h>

#include "base/file.h"
#include "suite/suite_message.h"
#include "suite/suite_reader.h"

static bool top_keys_check(const struct kg_suite_reader *reader, const struct kg_yaml_node *root)
{
    static const struct kg_key_table *const tables[] = {&kg_suite_keys};
    if (root->kind != KG_YAML_MAPPING)
        return kg_reader_fail(reader, root->mark,
                              "a suite is a mapping with the keys version and workloads");
    for (size_t i = 0; i < root->count; i++) {
        const char *key = root->pairs[i].key;
        if (strncmp(key, "x-", 2) != 0 && !kg_key_find(&kg_suite_keys, key))
            return kg_reader_unknown_key(reader, &root->pairs[i], kg_suite_keys.title, tables, 1);
    }
    return true;
}

static bool required_find(const struct kg_suite_reader *reader, const struct kg_yaml_node *root,
                          const char *key, const char *example, const struct kg_yaml_pair **pair)
{
    *pair = kg_yaml_find(root, key);
    return *pair || kg_reader_fail(reader, root->mark, "the suite needs the key '%s'; write %s",
                                   key, example);
}

static bool version_check(const struct kg_suite_reader *reader, const struct kg_yaml_node *root)
{
    char quoted[KG_QUOTE_BYTES];
    const struct kg_yaml_pair *version;
    if (!required_find(reader, root, "version", "version: 1", &version) ||
        !kg_reader_expect(reader, version, KG_YAML_SCALAR))
        return false;
    return !strcmp(version->value->text, "1") ||
           kg_reader_fail(reader, version->value->mark,
                          "'version' is '%s', but this kgate reads only version 1",
                          kg_quote(version->value->text, quoted));
}

/* A file's name without folders and ending, safe for reports. */
static char *name_from_path(struct kg_arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    size_t length = dot && dot != base ? (size_t)(dot - base) : strlen(base);
    if (length > KG_VALUE_BYTES_MOST)
        length = KG_VALUE_BYTES_MOST;
    if (!length || !strcmp(path, "-"))
        return kg_arena_copy(arena, "stdin");
    char *name = kg_arena_copy_bytes(arena, base, length);
    for (char *c = name; c && *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7F)
            *c = '_';
    return name;
}

static bool name_read(const struct kg_suite_reader *reader, const struct kg_yaml_node *root)
{
    struct kg_suite *suite = reader->suite;
    const struct kg_yaml_pair *name = kg_yaml_find(root, "suite");
    if (!name) {
        suite->name = name_from_path(&suite->arena, reader->path);
        return true;
    }
    suite->name = name->value->text;
    return kg_reader_expect(reader, name, KG_YAML_SCALAR) &&
           kg_reader_text_check(reader, name->value->mark, "'suite'", suite->name,
                                KG_VALUE_BYTES_MOST, "");
}

static bool history_read(const struct kg_suite_reader *reader, const struct kg_yaml_node *root)
{
    const struct kg_yaml_pair *history = kg_yaml_find(root, "history");
    if (!history)
        return true;
    if (!kg_reader_expect(reader, history, KG_YAML_SCALAR))
        return false;
    reader->suite->history = history->value->text;
    return kg_reader_text_check(reader, history->value->mark, "'history'", history->value->text,
                                KG_VALUE_BYTES_MOST, "");
}

static bool sections_read(struct kg_suite_reader *reader, const struct kg_yaml_node *root)
{
    static const struct kg_key_table *const tables[] = {&kg_policy_keys, &kg_default_keys,
                                                        &kg_suggest_keys};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        const struct kg_yaml_pair *section = kg_yaml_find(root, tables[i]->title);
        if (section && !kg_suite_section_read(reader, tables[i], section))
            return false;
    }
    return true;
}

/* Checks the rounds once at the end, because two overrides may be valid only together. */
static bool overrides_apply(struct kg_suite_reader *reader, const char *const *overrides,
                            size_t count)
{
    const char *rounds = NULL, *iterations = NULL, *min_time = NULL;
    for (size_t i = 0; i < count; i++) {
        if (!kg_suite_set(reader, overrides[i]))
            return false;
        if (!strncmp(overrides[i], "rounds.", 7))
            rounds = overrides[i];
        if (!strncmp(overrides[i], "iterations=", 11))
            iterations = overrides[i];
        if (!strncmp(overrides[i], "min_time=", 9))
            min_time = overrides[i];
    }
    if (iterations && min_time)
        return kg_error_set(reader->err, KG_ERROR_USAGE,
                            "--set iterations and --set min_time both set the length of a round; "
                            "give one");
    return kg_suite_rounds_check(reader, &reader->suite->defaults, rounds);
}

static bool suite_read(struct kg_suite_reader *reader, const struct kg_yaml_node *root,
                       const char *const *overrides, size_t count)
{
    struct kg_suite *suite = reader->suite;
    const struct kg_yaml_pair *workloads;
    suite->path = kg_arena_copy(&suite->arena, reader->path);
    kg_keys_default(&suite->defaults, &suite->policy, &suite->suggest);
    return top_keys_check(reader, root) && version_check(reader, root) && name_read(reader, root) &&
           history_read(reader, root) && kg_suite_key_read(reader, root, "reports") &&
           sections_read(reader, root) && overrides_apply(reader, overrides, count) &&
           required_find(reader, root, "workloads", "workloads: [{name: x, kernel: x}]",
                         &workloads) &&
           kg_suite_workloads_read(reader, workloads);
}

bool kg_suite_parse(const char *path, const char *bytes, size_t length,
                    const char *const *overrides, size_t count, struct kg_suite *suite,
                    struct kg_error *err)
{
    struct kg_suite_reader reader = {.path = path, .suite = suite, .err = err};
    const struct kg_yaml_node *root;
    *suite = (struct kg_suite){0};
    /* The suite borrows the strings of the tree, which lives in the suite's arena. */
    if (kg_yaml_parse(path, bytes, length, &suite->arena, &root, err) &&
        suite_read(&reader, root, overrides, count))
        return true;
    kg_suite_free(suite);
    return false;
}

bool kg_suite_load(const char *path, const char *const *overrides, size_t count,
                   struct kg_suite *suite, struct kg_error *err)
{
    struct kg_text text = {0};
    *suite = (struct kg_suite){0};
    const bool good =
        kg_file_read(path, KG_YAML_FILE_BYTES_MOST, &text, err) &&
        kg_suite_parse(path, kg_text_string(&text), text.length, overrides, count, suite, err);
    kg_text_free(&text);
    return good;
}

void kg_suite_free(struct kg_suite *suite)
{
    kg_arena_free(&suite->arena);
    *suite = (struct kg_suite){0};
}
