/* hyperfine has no filter, and measures all of its commands one after the other: a process that measures one
 * case would measure the others too, n times the time. So the command's words are read as hyperfine
 * reads them, and a process is given the one command, with every option that concerns it: of -P and -L the
 * one value, so that hyperfine itself puts it into the command, its name, --setup and --prepare. */
#include "suite/adapters/hyperfine_words.h"

#include <string.h>

#include "base/text.h"
#include "suite/adapters/hyperfine_options.h"

/* --- The benchmarks --------------------------------------------------------------------------- */

/* The commands change fastest, then the first parameter. */
static size_t value_of(const struct kg_hyperfine_command *command, size_t benchmark,
                       size_t parameter)
{
    size_t rest = benchmark / command->commands.count;
    for (size_t i = 0; i < parameter; i++)
        rest /= command->parameters[i].values.count;
    return rest % command->parameters[parameter].values.count;
}

static const char *command_of(const struct kg_hyperfine_command *command, size_t benchmark)
{
    return command->commands.at[benchmark % command->commands.count];
}

/* The benchmark's --command-name, with its parameters still in braces; NULL where it has none. */
static const char *name_given(const struct kg_hyperfine_command *command, size_t benchmark)
{
    const struct kg_hyperfine_words *names = &command->names;
    return benchmark < names->count                   ? names->at[benchmark]
           : names->count && command->parameter_count ? names->at[0]
                                                      : NULL;
}

static const char *expanded(const struct kg_hyperfine_command *command, size_t benchmark,
                            const char *text)
{
    struct kg_text out = {0};
    while (*text) {
        size_t taken = 0;
        for (size_t i = 0; i < command->parameter_count && *text == '{' && !taken; i++) {
            const struct kg_hyperfine_parameter *parameter = &command->parameters[i];
            const size_t length = strlen(parameter->name);
            if (strncmp(text + 1, parameter->name, length) != 0 || text[1 + length] != '}')
                continue;
            kg_text_append(&out, parameter->values.at[value_of(command, benchmark, i)]);
            taken = length + 2;
        }
        if (!taken)
            kg_text_append_bytes(&out, text, taken = 1);
        text += taken;
    }
    const char *kept = out.failed ? NULL : kg_arena_copy(command->arena, kg_text_string(&out));
    kg_text_free(&out);
    return kept;
}

static const char *benchmark_name(const struct kg_hyperfine_command *command, size_t benchmark)
{
    const char *name = name_given(command, benchmark);
    return expanded(command, benchmark, name ? name : command_of(command, benchmark));
}

static bool names_add(const struct kg_hyperfine_command *command, struct kg_foreign_names *names)
{
    struct kg_names known = {0};
    for (size_t i = 0; i < command->benchmark_count; i++) {
        const char *name = benchmark_name(command, i);
        if (!name)
            return kg_error_memory(command->err);
        if (kg_names_find(&known, name))
            return kg_error_set(command->err, KG_ERROR_MEASURE,
                                "two of hyperfine's benchmarks are called '%.200s': give each a "
                                "'--command-name', with its parameters in it",
                                name);
        if (!kg_names_set(command->arena, &known, name, i))
            return kg_error_memory(command->err);
        if (!kg_foreign_name_add(command->arena, names, name, command->err))
            return false;
    }
    return true;
}

bool kg_hyperfine_list(struct kg_arena *arena, const char *const *words, size_t count,
                       struct kg_foreign_names *names, struct kg_error *err)
{
    struct kg_hyperfine_command command = {
        .arena = arena, .err = err, .given = words, .given_count = count};
    return kg_hyperfine_read(&command) && names_add(&command, names);
}

/* --- One of them ------------------------------------------------------------------------------ */

static const char *list_value(struct kg_arena *arena, const char *value)
{
    struct kg_text text = {0};
    for (; *value; value++)
        kg_text_printf(&text, "%s%c", *value == ',' || *value == '\\' ? "\\" : "", *value);
    const char *kept = text.failed ? NULL : kg_arena_copy(arena, kg_text_string(&text));
    kg_text_free(&text);
    return kept;
}

/* How long it measures is the round's to say, unless the command says how many runs it is to make. */
static bool times_add(struct kg_hyperfine_command *command, const struct kg_foreign_run *run)
{
    struct kg_hyperfine_words *kept = &command->kept;
    if (command->has_runs)
        return true;
    return (command->has_least_time ||
            kg_hyperfine_word_add(command, kept,
                                  kg_arena_printf(command->arena, "--min-benchmarking-time=%.9f",
                                                  run->min_time_ns / 1e9))) &&
           (command->has_least_runs || kg_hyperfine_word_add(command, kept, "--min-runs=1"));
}

static bool benchmark_words(struct kg_hyperfine_command *command, size_t benchmark,
                            const struct kg_foreign_run *run)
{
    struct kg_arena *arena = command->arena;
    struct kg_hyperfine_words *kept = &command->kept;
    const char *name = name_given(command, benchmark);
    for (size_t i = 0; i < command->each_count; i++) {
        const struct kg_hyperfine_words *values = &command->each[i].values;
        if (!kg_hyperfine_word_add(command, kept,
                                   kg_arena_printf(arena, "--%s=%s", command->each[i].option,
                                                   values->at[values->count > 1 ? benchmark : 0])))
            return false;
    }
    for (size_t i = 0; i < command->parameter_count; i++) {
        const struct kg_hyperfine_parameter *parameter = &command->parameters[i];
        if (!kg_hyperfine_word_add(command, kept, "--parameter-list") ||
            !kg_hyperfine_word_add(command, kept, parameter->name) ||
            !kg_hyperfine_word_add(
                command, kept,
                list_value(arena, parameter->values.at[value_of(command, benchmark, i)])))
            return false;
    }
    return (!name || kg_hyperfine_word_add(command, kept,
                                           kg_arena_printf(arena, "--command-name=%s", name))) &&
           times_add(command, run) &&
           kg_hyperfine_word_add(command, kept,
                                 kg_arena_printf(arena, "--export-json=%s", run->file)) &&
           kg_hyperfine_word_add(command, kept, "--") &&
           kg_hyperfine_word_add(command, kept, command_of(command, benchmark));
}

bool kg_hyperfine_run_words(struct kg_arena *arena, const struct kg_foreign_run *run,
                            const char ***words, size_t *count, struct kg_error *err)
{
    struct kg_hyperfine_command command = {
        .arena = arena, .err = err, .given = *words, .given_count = *count};
    size_t at = 0;
    if (!kg_hyperfine_read(&command))
        return false;
    for (; at < command.benchmark_count; at++) {
        const char *name = benchmark_name(&command, at);
        if (!name)
            return kg_error_memory(err);
        if (!strcmp(name, run->name))
            break;
    }
    if (at == command.benchmark_count)
        return kg_error_set(err, KG_ERROR_MEASURE, "the command has no benchmark '%.300s'",
                            run->name);
    if (!benchmark_words(&command, at, run))
        return false;
    *words = command.kept.at;
    *count = command.kept.count;
    return true;
}
