/* source_plugin.c: the source `plugin`: a workload in a shared object, which only a worker process loads. */
#include "suite/sources/plugin_load.h"
#include "suite/sources/source.h"

static const char *plugin_target(struct kg_arena *arena, const struct kg_workload_spec *spec,
                                 const char *const *command)
{
    (void)command;
    return kg_arena_printf(arena, "%s:%s", spec->target, spec->entry);
}

static const struct kgate_workload *plugin_open(struct kg_source_opening *opening,
                                                struct kg_error *err)
{
    return kg_plugin_load(opening->target, KG_PLUGIN_OTHER, opening->entry, opening->entry_given,
                          opening->note, err);
}

const struct kg_source_operations kg_source_plugin = {
    .code = KG_CODE_IN_FILE,
    .unfit = {[KG_BUILD_COMMAND] = "is a program, and this is not a command"},
    .target = plugin_target,
    .open = plugin_open,
    .list = kg_plugin_list,
};
