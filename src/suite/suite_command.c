/* suite_command.c: the keys that only a command may have, such as `environment`, `stdin` and `format`. */
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/units.h"
#include "kgate/device.h"
#include "suite/adapters/adapter.h"
#include "suite/suite_message.h"
#include "suite/suite_reader.h"

enum { TEXT_MOST = 4095, ENVIRONMENT_MOST = 256, EXIT_CODES_MOST = 256, FORMATS_MOST = 16 };

bool kg_suite_words_read(const struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                         size_t most, const char ***words, size_t *count)
{
    const struct kg_yaml_node *list = pair->value;
    char quoted[KG_QUOTE_BYTES];
    if (list->kind == KG_YAML_SCALAR)
        return kg_reader_fail(
            reader, list->mark,
            "'%s' must be a list of words, because kgate starts no shell; write [%s]", pair->key,
            *list->text ? kg_quote(list->text, quoted) : "word, word");
    if (!kg_reader_expect(reader, pair, KG_YAML_SEQUENCE))
        return false;
    if (list->count > most)
        return kg_reader_fail(reader, list->mark, "'%s' has %zu words; at most %zu are allowed",
                              pair->key, list->count, most);
    *words = kg_arena_alloc(&reader->suite->arena, list->count, sizeof **words);
    for (*count = 0; *count < list->count; ++*count) {
        const struct kg_yaml_node *word = list->items[*count];
        if (word->kind != KG_YAML_SCALAR)
            return kg_reader_fail(reader, word->mark, "'%s' must be a list of words", pair->key);
        (*words)[*count] = word->text;
    }
    return true;
}

/* Variables that kgate sets itself. kgate finds and ends leftover processes of a command by KGATE_MARK. */
static const char *const own_variables[] = {"KGATE_MARK", "KGATE_COUNTERS", NULL};

static bool variable_name_check(const struct kg_suite_reader *reader,
                                const struct kg_yaml_pair *variable)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    static const char digits[] = "0123456789";
    char quoted[KG_QUOTE_BYTES];
    const char *name = variable->key;
    size_t length = *name && strchr(letters, *name) ? 1 : 0;
    while (length && name[length] &&
           (strchr(letters, name[length]) || strchr(digits, name[length])))
        length++;
    if (!length || name[length])
        return kg_reader_fail(
            reader, variable->mark,
            "a variable cannot be called '%s': use letters, digits and '_', not a digit first",
            kg_quote(name, quoted));
    for (size_t i = 0; own_variables[i]; i++)
        if (!strcmp(own_variables[i], name))
            return kg_reader_fail(reader, variable->mark, "'%s' is kgate's own variable", name);
    return true;
}

static bool environment_read(const struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                             struct kg_command_setting *setting)
{
    const struct kg_yaml_node *node = pair->value;
    if (!kg_reader_expect(reader, pair, KG_YAML_MAPPING))
        return false;
    if (node->count > ENVIRONMENT_MOST)
        return kg_reader_fail(reader, node->mark, "'environment' has %zu variables; at most %d",
                              node->count, ENVIRONMENT_MOST);
    setting->environment =
        kg_arena_alloc(&reader->suite->arena, node->count, sizeof *setting->environment);
    for (size_t i = 0; i < node->count; i++) {
        const struct kg_yaml_pair *variable = &node->pairs[i];
        if (!variable_name_check(reader, variable) ||
            !kg_reader_expect(reader, variable, KG_YAML_SCALAR))
            return false;
        setting->environment[setting->environment_count++] =
            (struct kg_pair){.name = variable->key, .value = variable->value->text};
    }
    return true;
}

static bool path_read(const struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                      const char **path)
{
    char what[64];
    *path = pair->value->text;
    snprintf(what, sizeof what, "'%s'", pair->key);
    return kg_reader_expect(reader, pair, KG_YAML_SCALAR) &&
           kg_reader_text_check(reader, pair->value->mark, what, pair->value->text, TEXT_MOST, "");
}

static bool format_read(const struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                        struct kg_command_setting *setting)
{
    const char *names[FORMATS_MOST];
    size_t count = 0;
    char quoted[KG_QUOTE_BYTES];
    struct kg_text message = {0};
    if (!kg_reader_expect(reader, pair, KG_YAML_SCALAR))
        return false;
    for (size_t i = 0; kg_adapters[i]; i++) {
        if (!kg_adapters[i]->run_words)
            continue;
        names[count++] = setting->format = kg_adapters[i]->name;
        setting->finds_gpu = kg_adapters[i]->on_cuda;
        if (!strcmp(setting->format, pair->value->text))
            return true;
    }
    kg_text_printf(&message, "'format' is '%s'", kg_quote(pair->value->text, quoted));
    kg_suggest_append(&message, pair->value->text, names, count, "known formats");
    return kg_reader_fail_text(reader, pair->value->mark, &message);
}

static bool directory_read(const struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                           struct kg_command_setting *setting)
{
    return path_read(reader, pair, &setting->directory);
}

static bool input_read(const struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                       struct kg_command_setting *setting)
{
    return path_read(reader, pair, &setting->input);
}

static bool exit_codes_read(const struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                            struct kg_command_setting *setting)
{
    const char **words;
    char quoted[KG_QUOTE_BYTES];
    size_t count;
    uint64_t code;
    if (!kg_suite_words_read(reader, pair, EXIT_CODES_MOST, &words, &count))
        return false;
    if (!count)
        return kg_reader_fail(reader, pair->value->mark, "'exit_codes' needs at least one");
    setting->exit_codes = kg_arena_alloc(&reader->suite->arena, count, sizeof *setting->exit_codes);
    for (size_t i = 0; i < count; i++) {
        if (!kg_count_parse(words[i], &code) || code > 255)
            return kg_reader_fail(reader, pair->value->items[i]->mark,
                                  "an exit status is '%s', but must be a number from 0 to 255",
                                  kg_quote(words[i], quoted));
        setting->exit_codes[setting->exit_code_count++] = (double)code;
    }
    return true;
}

static bool program_read(const struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                         const char ***words, size_t *count)
{
    if (!kg_suite_words_read(reader, pair, KG_WORDS_MOST, words, count))
        return false;
    return *count ||
           kg_reader_fail(reader, pair->value->mark, "'%s' needs at least one word", pair->key);
}

static bool setup_read(const struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                       struct kg_command_setting *setting)
{
    return program_read(reader, pair, &setting->setup, &setting->setup_count);
}

static bool cleanup_read(const struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                         struct kg_command_setting *setting)
{
    return program_read(reader, pair, &setting->cleanup, &setting->cleanup_count);
}

#define MARK(field) offsetof(struct kg_command_marks, field)

/* The keys that only commands may have. */
static const struct command_key {
    const char *name;
    bool (*read)(const struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                 struct kg_command_setting *setting);
    size_t mark; /* offset in struct kg_command_marks; SIZE_MAX: the place is not kept */
} command_keys[] = {
    {"format", format_read, MARK(format)},
    {"environment", environment_read, MARK(environment)},
    {"directory", directory_read, MARK(directory)},
    {"stdin", input_read, MARK(input)},
    {"exit_codes", exit_codes_read, SIZE_MAX},
    {"setup", setup_read, MARK(setup)},
    {"cleanup", cleanup_read, MARK(cleanup)},
};

static const struct command_key *key_find(const char *name)
{
    for (size_t i = 0; i < sizeof command_keys / sizeof *command_keys; i++)
        if (!strcmp(command_keys[i].name, name))
            return &command_keys[i];
    return NULL;
}

bool kg_suite_command_key_read(struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                               struct kg_workload_spec *spec, bool *known)
{
    const struct command_key *key = key_find(pair->key);
    *known = key != NULL;
    if (!key)
        return true;
    if (key->mark != SIZE_MAX)
        *(struct kg_mark *)(void *)((char *)&spec->setting_marks + key->mark) = pair->value->mark;
    return key->read(reader, pair, &spec->setting);
}

bool kg_suite_command_keys_check(const struct kg_suite_reader *reader,
                                 const struct kg_yaml_node *workload, const char *place,
                                 const struct kg_workload_spec *spec)
{
    if (spec->setting.figure_count)
        return kg_reader_fail(
            reader, spec->setting_marks.figures,
            "'json' and 'regex' read the output of a command, but %s is not a command", place);
    for (size_t i = 0; i < workload->count; i++)
        if (key_find(workload->pairs[i].key))
            return kg_reader_fail(reader, workload->pairs[i].mark,
                                  "'%s' goes with 'command', but %s is not a command",
                                  workload->pairs[i].key, place);
    return true;
}

/* Checks that kgate can measure each metric per call of a harness's benchmark. */
static bool format_metrics_check(const struct kg_suite_reader *reader,
                                 const struct kg_workload_spec *spec)
{
    const unsigned known = 1u << KG_METRIC_TIME | 1u << KG_METRIC_PEAK_MEMORY;
    const unsigned cpu_time = 1u << KG_METRIC_CPU_TIME;
    if (!(spec->settings.metrics & ~(known | cpu_time)) &&
        !(spec->setting.finds_gpu && spec->settings.metrics & cpu_time))
        return true;
    return kg_reader_fail(
        reader, spec->setting_marks.format,
        "a workload with `format: %s` supports only time%s, because its number of calls "
        "per process varies; set `metrics`",
        spec->setting.format,
        spec->setting.finds_gpu ? " and peak_memory" : ", peak_memory and cpu_time");
}

bool kg_suite_format_check(const struct kg_suite_reader *reader,
                           const struct kg_yaml_node *workload, struct kg_workload_spec *spec)
{
    const struct kg_yaml_pair *devices = kg_yaml_find(workload, "devices");
    const unsigned cuda = 1U << KGATE_DEVICE_CUDA;
    if (!spec->setting.format)
        return true;
    if (spec->setting.finds_gpu && devices && spec->settings.devices != cuda)
        return kg_reader_fail(
            reader, devices->value->mark,
            "a program of `format: %s` measures only on cuda; write devices: [cuda]",
            spec->setting.format);
    if (spec->setting.finds_gpu)
        spec->settings.devices = cuda;
    if (!kg_yaml_find(workload, "iterations"))
        spec->settings.iterations = 0; /* a default is for the other workloads */
    if (spec->settings.iterations)
        return kg_reader_fail(reader, spec->setting_marks.format,
                              "a program of `format: %s` chooses its own number of calls; write "
                              "`min_time` instead of `iterations`",
                              spec->setting.format);
    return format_metrics_check(reader, spec);
}
