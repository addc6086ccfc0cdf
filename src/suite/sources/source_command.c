/* source_command.c: the source `command`: a program that kgate starts once per call. */
#include <string.h>

#include "suite/adapters/adapter.h"
#include "suite/sources/braces.h"
#include "suite/sources/source.h"

static bool words_expand(const struct kg_expanding *with, struct kg_mark mark, const char *what,
                         const char **words, size_t count, const char ***expanded)
{
    *expanded = kg_arena_alloc(with->arena, count + 1, sizeof **expanded);
    for (size_t i = 0; i < count; i++)
        if (!kg_text_expand(with, mark, what, words[i], &(*expanded)[i]))
            return false;
    return true;
}

/* Expands a path. A relative path becomes relative to the suite's folder instead. */
static bool path_expand(const struct kg_expanding *with, struct kg_mark mark, const char *what,
                        const char *given, const char **expanded)
{
    const char *slash = strrchr(with->path, '/');
    if (!given)
        return true;
    if (!kg_text_expand(with, mark, what, given, expanded))
        return false;
    if (slash && *expanded && **expanded != '/')
        *expanded = kg_arena_printf(with->arena, "%.*s%s", (int)(slash + 1 - with->path),
                                    with->path, *expanded);
    return true;
}

static bool environment_expand(const struct kg_expanding *with, struct kg_command_setting *setting)
{
    const struct kg_command_setting *given = &with->spec->setting;
    setting->environment_count = given->environment_count;
    setting->environment =
        kg_arena_alloc(with->arena, given->environment_count, sizeof *setting->environment);
    for (size_t i = 0; i < given->environment_count; i++) {
        setting->environment[i].name = given->environment[i].name;
        if (!kg_text_expand(with, with->spec->setting_marks.environment, "`environment`",
                            given->environment[i].value, &setting->environment[i].value))
            return false;
    }
    return true;
}

static bool figures_expand(const struct kg_expanding *with, struct kg_command_setting *setting)
{
    const struct kg_command_setting *given = &with->spec->setting;
    setting->figures = kg_arena_alloc(with->arena, given->figure_count, sizeof *setting->figures);
    for (size_t i = 0; i < given->figure_count; i++) {
        setting->figures[i] = given->figures[i];
        if (given->figures[i].file &&
            !kg_text_expand(with, with->spec->setting_marks.figures, "`file` of a counter",
                            given->figures[i].file, &setting->figures[i].file))
            return false;
    }
    return true;
}

static bool setting_expand(const struct kg_expanding *with, struct kg_command_setting *setting)
{
    const struct kg_command_setting *given = &with->spec->setting;
    const struct kg_command_marks *marks = &with->spec->setting_marks;
    *setting = *given;
    return environment_expand(with, setting) && figures_expand(with, setting) &&
           path_expand(with, marks->directory, "`directory`", given->directory,
                       &setting->directory) &&
           path_expand(with, marks->input, "`stdin`", given->input, &setting->input) &&
           words_expand(with, marks->setup, "`setup`", given->setup, given->setup_count,
                        &setting->setup) &&
           words_expand(with, marks->cleanup, "`cleanup`", given->cleanup, given->cleanup_count,
                        &setting->cleanup);
}

/* Whether the text contains the parameter in braces. */
static bool has_parameter(const char *text, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = text ? strchr(text, '{') : NULL; at; at = strchr(at + 1, '{'))
        if (!strncmp(at + 1, name, length) && at[1 + length] == '}')
            return true;
    return false;
}

static bool words_have(const char **words, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (has_parameter(words[i], name))
            return true;
    return false;
}

/* Whether the axis belongs to a harness: `benchmark`, or a later axis if benchmarks have parameters. */
static bool axis_is_foreign(const struct kg_workload_spec *spec, const char *name)
{
    const char *format = spec->setting.format;
    const struct kg_adapter *adapter = format ? kg_adapter_find(format) : NULL;
    bool behind = false;
    for (size_t i = 0; adapter && i < spec->axis_count; i++) {
        const bool is_benchmark = !strcmp(spec->axes[i].name, KG_FOREIGN_PARAMETER);
        if (!strcmp(spec->axes[i].name, name))
            return is_benchmark || (behind && adapter->has_axes);
        behind = behind || is_benchmark;
    }
    return false;
}

static bool axis_is_used(const struct kg_workload_spec *spec, const char *name)
{
    const struct kg_command_setting *setting = &spec->setting;
    if (axis_is_foreign(spec, name))
        return true;
    for (size_t i = 0; i < setting->environment_count; i++)
        if (has_parameter(setting->environment[i].value, name))
            return true;
    for (size_t i = 0; i < setting->figure_count; i++)
        if (has_parameter(setting->figures[i].file, name))
            return true;
    return words_have(spec->command, spec->command_count, name) ||
           words_have(setting->setup, setting->setup_count, name) ||
           words_have(setting->cleanup, setting->cleanup_count, name) ||
           has_parameter(setting->directory, name) || has_parameter(setting->input, name);
}

/* Refuses a parameter that no text uses, because all its values would measure the same command. */
static bool axes_are_used(const char *path, const struct kg_workload_spec *spec,
                          struct kg_error *err)
{
    for (size_t i = 0; i < spec->axis_count; i++) {
        const struct kg_axis *axis = &spec->axes[i];
        if (axis->value_count > 1 && !axis_is_used(spec, axis->name))
            return kg_error_at(err, path, axis->mark.line, axis->mark.column,
                               "in workload '%s': no word of the command has the parameter '%s': "
                               "its %zu values would be the same case; write {%s} where it belongs",
                               spec->name, axis->name, axis->value_count, axis->name);
    }
    return true;
}

static bool command_expand(struct kg_arena *arena, const char *path,
                           const struct kg_workload_spec *spec, const struct kg_pair *params,
                           const char ***command, struct kg_command_setting *setting,
                           struct kg_error *err)
{
    const struct kg_expanding with = {arena, path, spec, params, err};
    return axes_are_used(path, spec, err) &&
           words_expand(&with, spec->target_mark, "the command", spec->command, spec->command_count,
                        command) &&
           setting_expand(&with, setting);
}

static const char *command_target(struct kg_arena *arena, const struct kg_workload_spec *spec,
                                  const char *const *command)
{
    return kg_arena_copy(arena, command ? command[0] : spec->target);
}

const struct kg_source_operations kg_source_command = {
    .code = KG_CODE_ANYWHERE,
    .unfit = {[KG_BUILD_KGATE] = "is a kgate, and this is a command",
              [KG_BUILD_PLUGIN] = "is a plugin, and this is not in a plugin"},
    .expand = command_expand,
    .target = command_target,
};
