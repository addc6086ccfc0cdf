/* The source `command`: a program that is started once for each call. */
#include <string.h>

#include "util/text.h"
#include "workload/source.h"

/* The value of the parameter whose name is the `length` bytes at `name`; NULL where there is
 * none. */
static const char *value_find(const struct kg_pair *params, size_t count, const char *name,
                              size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(params[i].name) == length && !strncmp(params[i].name, name, length))
            return params[i].value;
    return NULL;
}

/* Puts parameters into a word: "{name}" becomes the value, "{{" and "}}" a brace. On failure
 * `unknown` is the brace that opens the name of no parameter, else NULL. */
static bool word_fill(struct kg_text *text, const char *word, const struct kg_pair *params,
                      size_t count, const char **unknown)
{
    *unknown = NULL;
    for (const char *c = word; *c; c++) {
        const char *end = *c == '{' ? strchr(c, '}') : NULL;
        if ((c[0] == '{' || c[0] == '}') && c[1] == c[0]) {
            kg_text_append_bytes(text, c, 1);
            c++;
        } else if (end) {
            const char *value = value_find(params, count, c + 1, (size_t)(end - c - 1));
            if (!value) {
                *unknown = c;
                return false;
            }
            kg_text_append(text, value);
            c = end;
        } else {
            kg_text_append_bytes(text, c, 1);
        }
    }
    return !text->failed;
}

static bool word_expand(struct kg_arena *arena, const char *path,
                        const struct kg_workload_spec *spec, const struct kg_pair *params,
                        size_t index, const char **expanded, struct kg_error *err)
{
    struct kg_text text = {0};
    const char *unknown;
    *expanded = word_fill(&text, spec->command[index], params, spec->axis_count, &unknown)
                    ? kg_arena_copy(arena, kg_text_string(&text))
                    : NULL;
    kg_text_free(&text);
    if (unknown)
        return kg_error_at(err, path, spec->target_mark.line, spec->target_mark.column,
                           "in workload '%s': the command has %.*s, but there is no such "
                           "parameter; write {{ and }} for braces",
                           spec->name, (int)(strchr(unknown, '}') - unknown + 1), unknown);
    return *expanded ? true : kg_error_memory(err);
}

/* Whether a word of the command has the parameter in braces. */
static bool axis_is_used(const struct kg_workload_spec *spec, const char *name)
{
    const size_t length = strlen(name);
    for (size_t i = 0; i < spec->command_count; i++)
        for (const char *at = strchr(spec->command[i], '{'); at; at = strchr(at + 1, '{'))
            if (!strncmp(at + 1, name, length) && at[1 + length] == '}')
                return true;
    return false;
}

/* A parameter that no word uses would only measure the same command several times. */
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
                           const char ***command, struct kg_error *err)
{
    if (!axes_are_used(path, spec, err))
        return false;
    *command = kg_arena_alloc(arena, spec->command_count + 1, sizeof **command);
    if (!*command)
        return kg_error_memory(err);
    for (size_t i = 0; i < spec->command_count; i++)
        if (!word_expand(arena, path, spec, params, i, &(*command)[i], err))
            return false;
    return true;
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
