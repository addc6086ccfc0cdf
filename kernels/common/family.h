/* family.h: the plugin of a family. A generated file per family defines KG_FAMILY as its rows KG_KERNEL(name) and
 * includes this header once (cmake/kernels.cmake). */
#pragma once
#include "kgate/plugin.h"

#define KG_KERNEL(name) extern const struct kgate_workload kg_kernel_##name;
KG_FAMILY
#undef KG_KERNEL

#define KG_KERNEL(name) &kg_kernel_##name,
static const struct kgate_workload *const workloads[] = {KG_FAMILY};
#undef KG_KERNEL

const struct kgate_plugin *kgate_plugin_workloads(void)
{
    static const struct kgate_plugin plugin = {KGATE_PLUGIN_ABI, workloads,
                                               sizeof workloads / sizeof *workloads};
    return &plugin;
}
