/* ordinary.c: the plugin of the workloads that need nothing but the C library. */
#include "ordinary.h"

static const struct kgate_workload *const workloads[] = {
    &heap_workload,  &pipe_workload, &locks_workload,   &files_workload,  &pool_workload,
    &chase_workload, &tiny_workload, &compute_workload, &stream_workload, &words_workload};
static const struct kgate_plugin plugin = {KGATE_PLUGIN_ABI, workloads,
                                           sizeof workloads / sizeof *workloads};

const struct kgate_plugin *kgate_plugin_workloads(void);
const struct kgate_plugin *kgate_plugin_workloads(void)
{
    return &plugin;
}
