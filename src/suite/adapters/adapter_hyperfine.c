/* hyperfine: --export-json. Every run is a process of its own. */
#include <math.h>
#include <string.h>

#include "suite/adapters/adapter.h"

static bool is_json(const json_t *json)
{
    const json_t *results = json_object_get(json, "results");
    const json_t *first = json_array_get(results, 0);
    return json_is_array(results) && json_object_get(first, "command") &&
           json_object_get(first, "times");
}

static bool times_read(struct kg_arena *arena, const json_t *result, struct kg_foreign_case *found)
{
    const json_t *times = json_object_get(result, "times");
    found->samples_ns = kg_arena_alloc(arena, json_array_size(times), sizeof *found->samples_ns);
    for (size_t i = 0; found->samples_ns && i < json_array_size(times); i++)
        found->samples_ns[found->sample_count++] = 1e9 * kg_foreign_element(times, i);
    return found->samples_ns != NULL;
}

/* Of the exported exit codes those that are not 0, and null of a run that a signal ended: hyperfine was
 * told to go on (--ignore-failure). */
static bool exits_judge(struct kg_arena *arena, const json_t *result, struct kg_foreign_case *found)
{
    const json_t *codes = json_object_get(result, "exit_codes"), *code;
    size_t i, failed = 0;
    json_array_foreach(codes, i, code) failed +=
        !json_is_integer(code) || json_integer_value(code) != 0;
    if (failed)
        found->failure = kg_arena_printf(
            arena, "%zu of its %zu runs failed: by an exit status other than 0, or by a signal",
            failed, json_array_size(codes));
    return !failed || found->failure;
}

static bool result_read(struct kg_arena *arena, const json_t *result, struct kg_foreign *foreign,
                        size_t index, struct kg_error *err)
{
    const char *command = json_string_value(json_object_get(result, "command"));
    if (!command || !*command || !json_array_size(json_object_get(result, "times")))
        return kg_error_set(err, KG_ERROR_USAGE, "results[%zu]: expected a command and its times",
                            index);
    struct kg_foreign_case *found = kg_foreign_case_add(arena, foreign, command);
    if (!found || !times_read(arena, result, found))
        return kg_error_memory(err);
    found->processes = true;
    found->calls = (double)found->sample_count;
    found->user_ns = 1e9 * kg_foreign_number(result, "user");
    found->system_ns = 1e9 * kg_foreign_number(result, "system");
    found->cpu_ns = found->user_ns + found->system_ns;
    return exits_judge(arena, result, found) || kg_error_memory(err);
}

static bool read_file(struct kg_arena *arena, const char *path, const json_t *json,
                      struct kg_foreign *foreign, struct kg_error *err)
{
    const json_t *results = json_object_get(json, "results");
    (void)path;
    for (size_t i = 0; i < json_array_size(results); i++)
        if (!result_read(arena, json_array_get(results, i), foreign, i, err))
            return false;
    return true;
}

const struct kg_adapter kg_adapter_hyperfine = {
    .name = "hyperfine",
    .help = "hyperfine's `--export-json`",
    .is_json = is_json,
    .read = read_file,
};
