/* hyperfine: --export-json. Every run is a separate process. */

#include "suite/adapters/adapter.h"

static bool is_json(const struct kg_json *json)
{
    const struct kg_json *results = kg_json_member(json, "results");
    const struct kg_json *first = kg_json_item(results, 0);
    return kg_json_is(results, KG_JSON_LIST) && kg_json_member(first, "command") &&
           kg_json_member(first, "times");
}

static void times_read(struct kg_arena *arena, const struct kg_json *result,
                       struct kg_foreign_case *found)
{
    const struct kg_json *times = kg_json_member(result, "times");
    found->samples_ns = kg_arena_alloc(arena, kg_json_count(times), sizeof *found->samples_ns);
    for (size_t i = 0; i < kg_json_count(times); i++)
        found->samples_ns[found->sample_count++] = 1e9 * kg_foreign_element(times, i);
}

/* Counts failed runs: exit codes other than 0, and null for a run that a signal ended. They occur with
 * --ignore-failure. */
static void exits_judge(struct kg_arena *arena, const struct kg_json *result,
                        struct kg_foreign_case *found)
{
    const struct kg_json *codes = kg_json_member(result, "exit_codes");
    size_t failed = 0;
    for (const struct kg_json *code = NULL; (code = kg_json_next(codes, code));)
        failed += !kg_json_is(code, KG_JSON_WHOLE) || kg_json_whole(code) != 0;
    if (failed)
        found->failure =
            kg_arena_printf(arena, "%zu of %zu runs failed with a signal or a non-zero exit status",
                            failed, kg_json_count(codes));
}

static bool result_read(struct kg_arena *arena, const struct kg_json *result,
                        struct kg_foreign *foreign, size_t index, struct kg_error *err)
{
    const char *command = kg_json_member_string(result, "command");
    if (!command || !*command || !kg_json_count(kg_json_member(result, "times")))
        return kg_error_set(err, KG_ERROR_USAGE, "results[%zu]: expected a command and its times",
                            index);
    struct kg_foreign_case *found = kg_foreign_case_add(arena, foreign, command);
    times_read(arena, result, found);
    found->processes = true;
    found->calls = (double)found->sample_count;
    found->user_ns = 1e9 * kg_foreign_number(result, "user");
    found->system_ns = 1e9 * kg_foreign_number(result, "system");
    found->cpu_ns = found->user_ns + found->system_ns;
    exits_judge(arena, result, found);
    return true;
}

static bool read_file(struct kg_arena *arena, const char *path, const struct kg_json *json,
                      struct kg_foreign *foreign, struct kg_error *err)
{
    const struct kg_json *results = kg_json_member(json, "results");
    (void)path;
    for (size_t i = 0; i < kg_json_count(results); i++)
        if (!result_read(arena, kg_json_item(results, i), foreign, i, err))
            return false;
    return true;
}

const struct kg_adapter kg_adapter_hyperfine = {
    .name = "hyperfine",
    .help = "hyperfine's `--export-json`",
    .is_json = is_json,
    .read = read_file,
};
