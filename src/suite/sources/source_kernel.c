/* source_kernel.c: the source `kernel`: a workload of a plugin that comes with kgate. The plugin is a file beside the
 * executable, one per family of kernels (cmake/kernels.cmake). kgate loads it while planning, because it is kgate's
 * own code. */
#include <sched.h>
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"
#include "suite/sources/kernel_file.h"
#include "suite/sources/plugin_load.h"
#include "suite/sources/source.h"

enum { PATH_BYTES = 4096 };

static const struct {
    const char *name, *family;
} rows[] = {
#define KG_KERNEL(name, family) {#name, #family},
#include "registry.def"
#undef KG_KERNEL
};
enum { ROWS = sizeof rows / sizeof *rows };

static bool kernel_missing(const char *name, struct kg_error *err)
{
    const char *names[ROWS];
    struct kg_text known = {0};
    for (size_t i = 0; i < ROWS; i++) {
        names[i] = rows[i].name;
        kg_text_printf(&known, "%s%s", i ? ", " : "", rows[i].name);
    }
    const char *nearest = kg_nearest(name, names, ROWS);
    kg_error_set(err, KG_ERROR_USAGE, "there is no kernel '%s'; %s%s%s", name,
                 nearest ? "did you mean '" : "there are: ",
                 nearest ? nearest : kg_text_string(&known), nearest ? "'?" : "");
    kg_text_free(&known);
    return false;
}

static bool kernel_beside(const char *kgate, const char *name, char *file, struct kg_error *err)
{
    for (size_t i = 0; i < ROWS; i++)
        if (!strcmp(rows[i].name, name))
            return kg_kernel_file(kgate, rows[i].family, file, err);
    return kernel_missing(name, err);
}

/* Loads a kernel and restores the CPU affinity. A threading library may bind this thread to one CPU during the load.
 * Every process that kgate starts would inherit the binding. */
static const struct kgate_workload *kernel_load(const char *file, const char *name,
                                                struct kg_error *err)
{
    cpu_set_t before;
    const bool known = sched_getaffinity(0, sizeof before, &before) == 0;
    const struct kgate_workload *workload =
        kg_plugin_load(file, KG_PLUGIN_OWN, name, true, NULL, err);
    if (known)
        sched_setaffinity(0, sizeof before, &before);
    return workload;
}

static bool kernel_find(struct kg_arena *arena, const char *path,
                        const struct kg_workload_spec *spec, struct kg_source_found *found,
                        struct kg_error *err)
{
    char file[PATH_BYTES];
    struct kg_error why;
    if (kernel_beside(NULL, spec->target, file, &why))
        found->workload = kernel_load(file, spec->target, &why);
    if (!found->workload) {
        kg_error_at(err, path, spec->target_mark.line, spec->target_mark.column, "%s", why.message);
        err->kind = why.kind;
        return false;
    }
    found->file = kg_arena_copy(arena, file);
    return true;
}

static const struct kgate_workload *kernel_open(struct kg_source_opening *opening,
                                                struct kg_error *err)
{
    return kg_plugin_load(opening->target, KG_PLUGIN_OWN, opening->entry, true, NULL, err);
}

static const char *kernel_target(struct kg_arena *arena, const struct kg_workload_spec *spec,
                                 const char *const *command)
{
    (void)command;
    return kg_arena_copy(arena, spec->target);
}

const struct kg_source_operations kg_source_kernel = {
    .code = KG_CODE_IN_FILE,
    .checks_often = true,
    .unfit = {[KG_BUILD_PLUGIN] = "is a plugin, and this is not in a plugin",
              [KG_BUILD_COMMAND] = "is a program, and this is not a command"},
    .beside = kernel_beside,
    .find = kernel_find,
    .target = kernel_target,
    .open = kernel_open,
};
