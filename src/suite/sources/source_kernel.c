/* The source `kernel`: one of the workloads that are built into kgate. */
#include "base/cpu/blas.h"
#include "base/nearest.h"
#include "base/text.h"
#include "suite/sources/kernel_registry.h"
#include "suite/sources/source.h"

enum { KERNELS_MOST = 256 };

static bool kernel_missing(const char *path, const struct kg_workload_spec *spec,
                           struct kg_error *err)
{
    size_t count;
    const struct kgate_workload *const *all = kg_registry_workloads(&count);
    const char *names[KERNELS_MOST];
    struct kg_text known = {0};
    for (size_t i = 0; i < count && i < KERNELS_MOST; i++) {
        names[i] = all[i]->name;
        kg_text_printf(&known, "%s%s", i ? ", " : "", all[i]->name);
    }
    const char *nearest =
        kg_nearest(spec->target, names, count < KERNELS_MOST ? count : KERNELS_MOST);
    kg_error_at(err, path, spec->target_mark.line, spec->target_mark.column,
                "there is no kernel '%s'; %s%s%s", spec->target,
                nearest ? "did you mean '" : "there are: ",
                nearest ? nearest : kg_text_string(&known), nearest ? "'?" : "");
    kg_text_free(&known);
    return false;
}

static bool kernel_find(const char *path, const struct kg_workload_spec *spec,
                        const struct kgate_workload **found, struct kg_error *err)
{
    *found = kg_registry_find(spec->target);
    return *found || kernel_missing(path, spec, err);
}

static const char *kernel_target(struct kg_arena *arena, const struct kg_workload_spec *spec,
                                 const char *const *command)
{
    (void)command;
    return kg_arena_copy(arena, spec->target);
}

static const struct kgate_workload *kernel_open(struct kg_source_opening *opening,
                                                struct kg_error *err)
{
    const struct kgate_workload *kernel = kg_registry_find(opening->target);
    if (!kernel)
        kg_error_set(err, KG_ERROR_USAGE, "this kgate has no kernel '%s'", opening->target);
    kg_blas_rest();
    return kernel;
}

const struct kg_source_operations kg_source_kernel = {
    .code = KG_CODE_IN_KGATE,
    .checks_often = true,
    .unfit = {[KG_BUILD_PLUGIN] = "is a plugin, and this is not in a plugin",
              [KG_BUILD_COMMAND] = "is a program, and this is not a command"},
    .find = kernel_find,
    .target = kernel_target,
    .open = kernel_open,
};
