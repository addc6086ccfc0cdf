#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "model/cuda_call.h"
#include "suite/case_id.h"
#include "suite/plan.h"

struct placing {
    struct kg_arena *arena;
    kg_data_find find;
    void *user;
    struct kg_error *err;
};

/* The definition contains the content of the file, not the chosen path. */
static bool input_place(const struct placing *placing, struct kg_case *planned)
{
    if (!planned->setting.input)
        return true;
    if (!placing->find(placing->user, planned, planned->setting.input, &planned->setting.input,
                       placing->err))
        return false;
    planned->definition_hash = kg_case_definition_hash(placing->arena, planned, NULL);
    return true;
}

static bool expected_place(const struct placing *placing, const struct kg_case *planned,
                           struct kg_cuda_arg *arg)
{
    const char *path, *given = kg_cuda_expect_path(placing->arena, planned->call, arg);
    if (!placing->find(placing->user, planned, given, &path, placing->err))
        return false;
    if (strcmp(path, given) != 0)
        arg->expect_file = path;
    return true;
}

static bool call_place(const struct placing *placing, struct kg_case *planned)
{
    if (!planned->call)
        return true;
    struct kg_cuda_call *call = kg_arena_alloc(placing->arena, 1, sizeof *call);
    struct kg_cuda_arg *args =
        kg_arena_alloc(placing->arena, planned->call->arg_count, sizeof *args);
    *call = *planned->call;
    for (size_t i = 0; i < call->arg_count; i++) {
        args[i] = call->args[i];
        if (args[i].expect_file && !expected_place(placing, planned, &args[i]))
            return false;
    }
    call->args = args;
    planned->call = call;
    return true;
}

static bool cases_place(const struct placing *placing, struct kg_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!input_place(placing, &cases[i]) || !call_place(placing, &cases[i]))
            return false;
    return true;
}

bool kg_plan_data_place(struct kg_plan *plan, kg_data_find find, void *user, struct kg_error *err)
{
    const struct placing placing = {&plan->arena, find, user, err};
    return cases_place(&placing, plan->cases, plan->case_count) &&
           cases_place(&placing, plan->elsewhere, plan->elsewhere_count);
}

/* --- Check for regular files -------------------------------------------------------------------- */

static bool file_check(const struct kg_case *planned, const char *key, const char *path,
                       struct kg_mark mark, const char *suite, struct kg_error *err)
{
    return access(path, F_OK) != 0 || kg_file_is_regular(path) ||
           kg_error_at(err, suite, mark.line, mark.column,
                       "in workload '%s': `%s`: '%.300s' is not a regular file, so it may be "
                       "endless; use a "
                       "regular file",
                       planned->spec->name, key, path);
}

static bool expected_check(struct kg_arena *arena, const struct kg_case *planned, const char *suite,
                           struct kg_error *err)
{
    const struct kg_cuda_call *call = planned->call;
    for (size_t i = 0; call && i < call->arg_count; i++) {
        const struct kg_cuda_arg *arg = &call->args[i];
        if (!arg->expect_file)
            continue;
        const char *path = kg_cuda_expect_path(arena, call, arg);
        if (!file_check(planned, "expect", path, arg->expect_mark, suite, err))
            return false;
    }
    return true;
}

bool kg_plan_data_check(const struct kg_plan *plan, const char *suite, struct kg_error *err)
{
    struct kg_arena arena = {0};
    bool good = true;
    for (size_t i = 0; i < plan->case_count && good; i++) {
        const struct kg_case *planned = &plan->cases[i];
        good = (!planned->setting.input ||
                file_check(planned, "stdin", planned->setting.input,
                           planned->spec->setting_marks.input, suite, err)) &&
               expected_check(&arena, planned, suite, err);
    }
    kg_arena_free(&arena);
    return good;
}
