/* source_cuda.c: the source `source`: a kernel of CUDA C++, PTX or a binary. The worker compiles, loads and launches
 * the kernel by the suite's keys. */
#include <ctype.h>
#include <string.h>
#include <unistd.h>

#include "model/cuda_call.h"
#include "suite/sources/braces.h"
#include "suite/sources/cuda_launch.h"
#include "suite/sources/cuda_source.h"
#include "suite/sources/source.h"

/* Replaces the texts by an expanded copy, with room for `more` texts at the end. */
static bool texts_expand(const struct kg_expanding *with, struct kg_mark mark, const char ***texts,
                         size_t count, size_t more)
{
    const char **copy = kg_arena_alloc(with->arena, count + more, sizeof *copy);
    for (size_t i = 0; i < count; i++)
        if (!kg_text_expand(with, mark, NULL, (*texts)[i], &copy[i]))
            return false;
    *texts = copy;
    return true;
}

static bool args_expand(const struct kg_expanding *with, struct kg_cuda_call *call)
{
    struct kg_cuda_arg *args = kg_arena_alloc(with->arena, call->arg_count, sizeof *args);
    for (size_t i = 0; i < call->arg_count; i++) {
        args[i] = call->args[i];
        const char **const texts[] = {&args[i].value, &args[i].count, &args[i].fill,
                                      &args[i].expect, &args[i].expect_file};
        for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
            if (!kg_text_expand(with, args[i].mark, NULL, *texts[t], texts[t]))
                return false;
    }
    call->args = args;
    return true;
}

static bool is_identifier(const char *name)
{
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            return false;
    return *name != '\0';
}

/* Defines a macro per parameter: n is KGATE_n. A macro n would replace every other n in the source. */
static void defines_add(const struct kg_expanding *with, struct kg_cuda_call *call)
{
    for (size_t i = 0; i < with->spec->axis_count; i++) {
        if (!is_identifier(with->params[i].name))
            continue;
        const char *define = kg_arena_printf(with->arena, "-DKGATE_%s=%s", with->params[i].name,
                                             with->params[i].value);
        call->options[call->option_count++] = define;
    }
}

/* Makes a path below the working folder relative, because another checkout has the file at the same relative path. */
static const char *path_from_here(const char *path)
{
    char here[4096];
    const size_t length = getcwd(here, sizeof here) ? strlen(here) : 0;
    return length && !strncmp(path, here, length) && path[length] == '/' ? path + length + 1 : path;
}

/* Sets the folder of the suite, with its final slash. */
static void folder_find(const struct kg_expanding *with, struct kg_cuda_call *call)
{
    const char *path = path_from_here(with->path), *slash = strrchr(path, '/');
    call->folder = kg_arena_copy_bytes(with->arena, path, slash ? (size_t)(slash - path) + 1 : 0);
}

/* Evaluates the call once before measuring, so that an error has its place in the suite. */
static bool call_check(const struct kg_expanding *with, const struct kg_cuda_call *call)
{
    struct kg_arena arena = {0};
    struct kg_cuda_launch launch;
    struct kg_mark at = with->spec->mark;
    const bool good =
        kg_cuda_launch_make(&arena, call, with->spec->settings.seed, &launch, &at, with->err);
    kg_arena_free(&arena);
    if (good || with->err->kind != KG_ERROR_USAGE)
        return good;
    char message[sizeof with->err->message];
    memcpy(message, with->err->message, sizeof message);
    return kg_error_at(with->err, with->path, at.line, at.column, "in workload '%s': %s",
                       with->spec->name, message);
}

static bool source_call(struct kg_arena *arena, const char *path,
                        const struct kg_workload_spec *spec, const struct kg_pair *params,
                        const struct kg_cuda_call **expanded, struct kg_error *err)
{
    const struct kg_expanding with = {arena, path, spec, params, err};
    struct kg_cuda_call *call = kg_arena_alloc(arena, 1, sizeof *call);
    *call = *spec->call;
    call->entry = spec->entry;
    *expanded = call;
    folder_find(&with, call);
    if (!kg_text_expand(&with, spec->mark, NULL, call->entry, &call->entry) ||
        !texts_expand(&with, call->grid_mark, &call->grid, call->grid_count, 0) ||
        !texts_expand(&with, call->block_mark, &call->block, call->block_count, 0) ||
        !kg_text_expand(&with, call->shared_mark, NULL, call->shared, &call->shared) ||
        !texts_expand(&with, call->options_mark, &call->options, call->option_count,
                      spec->axis_count))
        return false;
    defines_add(&with, call);
    return kg_text_expand(&with, call->tolerance_mark, NULL, call->tolerance, &call->tolerance) &&
           kg_text_expand(&with, call->work_mark, NULL, call->items, &call->items) &&
           kg_text_expand(&with, call->work_mark, NULL, call->bytes, &call->bytes) &&
           kg_text_expand(&with, call->work_mark, NULL, call->flops, &call->flops) &&
           args_expand(&with, call) && call_check(&with, call);
}

static const char *source_target(struct kg_arena *arena, const struct kg_workload_spec *spec,
                                 const char *const *command)
{
    (void)command;
    return kg_arena_printf(arena, "%s:%s", spec->target, spec->entry);
}

const struct kg_source_operations kg_source_source = {
    .code = KG_CODE_COMPILED,
    .unfit = {[KG_BUILD_PLUGIN] = "is a plugin, and this is a CUDA source",
              [KG_BUILD_COMMAND] = "is a program, and this is a CUDA source"},
    .call = source_call,
    .target = source_target,
    .open = kg_cuda_source_open,
};
