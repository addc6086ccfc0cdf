#include "suite/sources/kernel_registry.h"

#include <string.h>

#define KG_KERNEL(name) extern const struct kgate_workload kg_kernel_##name;
#include "registry.def"
#undef KG_KERNEL

static const struct kgate_workload *const workloads[] = {
#define KG_KERNEL(name) &kg_kernel_##name,
#include "registry.def"
#undef KG_KERNEL
};

const struct kgate_workload *const *kg_registry_workloads(size_t *count)
{
    *count = sizeof workloads / sizeof *workloads;
    return workloads;
}

const struct kgate_workload *kg_registry_find(const char *name)
{
    for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++)
        if (!strcmp(workloads[i]->name, name))
            return workloads[i];
    return NULL;
}
