#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "suite/suite_message.h"
#include "suite/suite_reader.h"

enum { PATH_BYTES_MOST = 4095, TAGS_MOST = 64 };

/* A workload while it is read: its mapping, and context for the other keys. */
struct entry {
    const struct kg_yaml_node *node;
    const struct kg_yaml_pair *source; /* first key of the workload that sources.def lists */
    char place[KG_QUOTE_BYTES + 16];   /* "workload 'gemm'" for messages */
};

static bool scalar_read(const struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                        size_t most, const char **text)
{
    char what[64];
    snprintf(what, sizeof what, "'%s'", pair->key);
    if (!kg_reader_expect(reader, pair, KG_YAML_SCALAR) ||
        !kg_reader_text_check(reader, pair->value->mark, what, pair->value->text, most, ""))
        return false;
    *text = pair->value->text;
    return true;
}

static bool tags_read(const struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                      struct kg_workload_spec *spec)
{
    if (!kg_suite_words_read(reader, pair, TAGS_MOST, &spec->tags, &spec->tag_count))
        return false;
    for (size_t i = 0; i < spec->tag_count; i++)
        if (!kg_reader_name_check(reader, pair->value->items[i]->mark, "tag", spec->tags[i]))
            return false;
    return true;
}

/* --- The source: the value of kernel, plugin, command or source --------------------------------- */

static bool target_words_read(const struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                              struct kg_workload_spec *spec)
{
    if (!kg_suite_words_read(reader, pair, KG_WORDS_MOST, &spec->command, &spec->command_count))
        return false;
    if (!spec->command_count)
        return kg_reader_fail(reader, pair->value->mark, "'%s' needs at least one word", pair->key);
    if (!*spec->command[0])
        return kg_reader_fail(reader, pair->value->items[0]->mark,
                              "'%s' begins with an empty word, which names no program", pair->key);
    spec->target = spec->command[0];
    spec->target_mark = pair->value->items[0]->mark;
    return true;
}

static bool target_file_read(const struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                             struct kg_workload_spec *spec)
{
    spec->target_mark = pair->value->mark;
    return scalar_read(reader, pair, PATH_BYTES_MOST, &spec->target);
}

/* The ending of the file name decides how kgate loads the code, so only known endings are allowed. */
static bool target_code_read(const struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                             struct kg_workload_spec *spec)
{
    static const char *const endings[] = {".cu", ".ptx", ".cubin", ".fatbin"};
    char quoted[KG_QUOTE_BYTES];
    if (!target_file_read(reader, pair, spec))
        return false;
    const char *ending = strrchr(spec->target, '.');
    for (size_t i = 0; ending && i < sizeof endings / sizeof *endings; i++)
        if (!strcmp(ending, endings[i]))
            return true;
    return kg_reader_fail(reader, spec->target_mark,
                          "'%s' is not GPU code; its name must end in .cu, .ptx, .cubin or .fatbin",
                          kg_quote(spec->target, quoted));
}

static bool target_name_read(const struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                             struct kg_workload_spec *spec)
{
    return target_file_read(reader, pair, spec) &&
           kg_reader_name_check(reader, spec->target_mark, pair->key, spec->target);
}

static bool (*const target_readers[])(const struct kg_suite_reader *reader,
                                      const struct kg_yaml_pair *pair,
                                      struct kg_workload_spec *spec) = {
    [KG_TARGET_NAME] = target_name_read,
    [KG_TARGET_FILE] = target_file_read,
    [KG_TARGET_CODE] = target_code_read,
    [KG_TARGET_WORDS] = target_words_read,
};

static bool source_read(const struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                        const struct kg_source_facts *source, struct entry *entry,
                        struct kg_workload_spec *spec)
{
    if (entry->source)
        return kg_reader_fail(
            reader, pair->mark, "%s has '%s' here and '%s' in line %u; a workload has only one",
            entry->place, pair->key, entry->source->key, entry->source->mark.line);
    entry->source = pair;
    spec->source = (enum kg_source)(source - kg_source_facts);
    return target_readers[source->target](reader, pair, spec);
}

static bool source_missing(const struct kg_suite_reader *reader, const struct entry *entry,
                           const struct kg_workload_spec *spec)
{
    struct kg_text message = {0};
    kg_text_printf(&message, "%s needs one of the keys", entry->place);
    for (size_t i = 0; i < KG_SOURCE_COUNT; i++)
        kg_text_printf(&message, "%s %s", i ? "," : "", kg_source_names[i]);
    return kg_reader_fail_text(reader, spec->mark, &message);
}

/* --- The entry --------------------------------------------------------------------------------- */

/* Reads a key of kg_workload_keys. The reader takes `name` before and `budget` after all other keys. */
static bool own_key_read(struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                         struct entry *entry, struct kg_workload_spec *spec)
{
    const struct kg_source_facts *source = kg_source_find(pair->key);
    if (source)
        return source_read(reader, pair, source, entry, spec);
    if (!strcmp(pair->key, "workload"))
        return scalar_read(reader, pair, KG_NAME_BYTES_MOST, &spec->entry) &&
               kg_reader_name_check(reader, pair->value->mark, "workload", spec->entry);
    if (!strcmp(pair->key, "params"))
        return kg_suite_params_read(reader, pair, spec);
    if (!strcmp(pair->key, "matrix"))
        return kg_suite_matrix_read(reader, pair, spec);
    if (!strcmp(pair->key, "counters"))
        return kg_suite_counters_read(reader, pair, spec);
    if (!strcmp(pair->key, "tags"))
        return tags_read(reader, pair, spec);
    if (!strcmp(pair->key, "reference"))
        return scalar_read(reader, pair, KG_NAME_BYTES_MOST, &spec->reference);
    bool known;
    return kg_suite_command_key_read(reader, pair, spec, &known);
}

static bool name_read(const struct kg_suite_reader *reader, struct entry *entry,
                      struct kg_workload_spec *spec)
{
    char quoted[KG_QUOTE_BYTES];
    const struct kg_yaml_pair *name = kg_yaml_find(entry->node, "name");
    spec->mark = entry->node->mark;
    if (!name)
        return kg_reader_fail(reader, spec->mark, "a workload needs the key 'name'");
    if (!kg_reader_expect(reader, name, KG_YAML_SCALAR) ||
        !kg_reader_name_check(reader, name->value->mark, "name", name->value->text))
        return false;
    spec->name = name->value->text;
    spec->mark = name->value->mark;
    snprintf(entry->place, sizeof entry->place, "workload '%s'", kg_quote(spec->name, quoted));
    return true;
}

static void axes_allocate(const struct kg_suite_reader *reader, const struct entry *entry,
                          struct kg_workload_spec *spec)
{
    size_t count = 0;
    for (size_t i = 0; i < 2; i++) {
        const struct kg_yaml_pair *pair = kg_yaml_find(entry->node, i ? "matrix" : "params");
        if (pair && pair->value->kind == KG_YAML_MAPPING)
            count += pair->value->count;
    }
    if (count > KG_AXES_MOST)
        count = KG_AXES_MOST;
    spec->axes = kg_arena_alloc(&reader->suite->arena, count, sizeof *spec->axes);
}

static bool keys_read(struct kg_suite_reader *reader, struct entry *entry,
                      struct kg_workload_spec *spec)
{
    static const struct kg_key_table *const tables[] = {&kg_workload_keys, &kg_cuda_keys,
                                                        &kg_default_keys};
    for (size_t i = 0; i < entry->node->count; i++) {
        const struct kg_yaml_pair *pair = &entry->node->pairs[i];
        bool known = true;
        bool good;
        if (kg_suite_length_hidden(entry->node, pair))
            continue;
        if (kg_key_find(&kg_workload_keys, pair->key))
            good = own_key_read(reader, pair, entry, spec);
        else if (kg_key_find(&kg_cuda_keys, pair->key))
            good = kg_suite_cuda_key_read(reader, pair, spec);
        else
            good = kg_suite_override_read(reader, pair, &spec->settings, &known);
        if (!good)
            return false;
        if (!known)
            return kg_reader_unknown_key(reader, pair, entry->place, tables,
                                         sizeof tables / sizeof *tables);
    }
    return kg_suite_length_check(reader, entry->node);
}

/* Checks the keys together. The budget is read here, because it may limit a counter of the workload. */
static bool entry_finish(struct kg_suite_reader *reader, const struct entry *entry,
                         struct kg_workload_spec *spec)
{
    const struct kg_yaml_pair *budget = kg_yaml_find(entry->node, "budget");
    if (budget && !kg_suite_budget_read(reader, budget, spec))
        return false;
    if (!entry->source)
        return source_missing(reader, entry, spec);
    if (!kg_suite_cuda_finish(reader, entry->node, entry->place, spec))
        return false;
    const enum kg_target target = kg_source_facts[spec->source].target;
    const bool of_file = target == KG_TARGET_FILE || target == KG_TARGET_CODE;
    const struct kg_yaml_pair *name = kg_yaml_find(entry->node, "workload");
    if (name && target != KG_TARGET_FILE)
        return kg_reader_fail(reader, name->mark,
                              "'workload' names a workload in a plugin, but %s is a %s",
                              entry->place, entry->source->key);
    if (target != KG_TARGET_WORDS &&
        !kg_suite_command_keys_check(reader, entry->node, entry->place, spec))
        return false;
    if (!kg_suite_format_check(reader, entry->node, spec))
        return false;
    spec->entry_given = spec->entry != NULL;
    if (of_file && !spec->entry)
        spec->entry = spec->name;
    kg_suite_min_time_settle(&spec->settings);
    return kg_suite_rounds_check(reader, &spec->settings, NULL);
}

static bool workload_read(struct kg_suite_reader *reader, const struct kg_yaml_node *node,
                          struct kg_workload_spec *spec)
{
    struct entry entry = {.node = node};
    if (node->kind != KG_YAML_MAPPING)
        return kg_reader_fail(reader, node->mark,
                              "a workload must be a mapping, such as {name: x, kernel: x}");
    spec->settings = reader->suite->defaults;
    if (!name_read(reader, &entry, spec))
        return false;
    axes_allocate(reader, &entry, spec);
    return keys_read(reader, &entry, spec) && entry_finish(reader, &entry, spec);
}

static int spec_compare(const void *left, const void *right)
{
    const struct kg_workload_spec *a = *(const struct kg_workload_spec *const *)left;
    const struct kg_workload_spec *b = *(const struct kg_workload_spec *const *)right;
    const int names = strcmp(a->name, b->name);
    return names ? names : a < b ? -1 : a > b;
}

static bool names_unique(const struct kg_suite_reader *reader)
{
    struct kg_suite *suite = reader->suite;
    const struct kg_workload_spec **sorted = kg_alloc(suite->workload_count, sizeof *sorted);
    bool good = true;
    for (size_t i = 0; i < suite->workload_count; i++)
        sorted[i] = &suite->workloads[i];
    qsort(sorted, suite->workload_count, sizeof *sorted, spec_compare);
    for (size_t i = 1; i < suite->workload_count && good; i++)
        if (!strcmp(sorted[i - 1]->name, sorted[i]->name))
            good = kg_reader_fail(reader, sorted[i]->mark,
                                  "the name '%s' is already taken in line %u; names are unique",
                                  sorted[i]->name, sorted[i - 1]->mark.line);
    free(sorted);
    return good;
}

static bool total_check(const struct kg_suite_reader *reader, const struct kg_yaml_node *node,
                        const struct kg_workload_spec *spec, size_t *total)
{
    const struct kg_yaml_pair *matrix = kg_yaml_find(node, "matrix");
    *total += kg_suite_case_count(spec);
    return *total <= KG_CASES_MOST ||
           kg_reader_fail(reader, matrix ? matrix->mark : spec->mark,
                          "with workload '%s' on its devices the suite has too many cases: at most "
                          "%d",
                          spec->name, KG_CASES_MOST);
}

bool kg_suite_workloads_read(struct kg_suite_reader *reader, const struct kg_yaml_pair *workloads)
{
    struct kg_suite *suite = reader->suite;
    const struct kg_yaml_node *list = workloads->value;
    size_t total = 0;
    if (!kg_reader_expect(reader, workloads, KG_YAML_SEQUENCE))
        return false;
    if (!list->count)
        return kg_reader_fail(reader, list->mark, "'workloads' needs at least one workload");
    if (list->count > KG_CASES_MOST)
        return kg_reader_fail(reader, list->mark, "too many workloads: at most %d", KG_CASES_MOST);
    suite->workloads = kg_arena_alloc(&suite->arena, list->count, sizeof *suite->workloads);
    for (size_t i = 0; i < list->count; i++) {
        struct kg_workload_spec *spec = &suite->workloads[suite->workload_count++];
        if (!workload_read(reader, list->items[i], spec) ||
            !total_check(reader, list->items[i], spec, &total))
            return false;
    }
    return names_unique(reader);
}
