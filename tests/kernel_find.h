/* kernel_find.h: the built-in kernels of a program that is linked with all of them. */
#pragma once
#include <stddef.h>
#include <string.h>

#include "kgate/plugin.h"

#define KG_KERNEL(name, family) extern const struct kgate_workload kg_kernel_##name;
#include "registry.def"
#undef KG_KERNEL

/* NULL if there is none of that name. */
static inline const struct kgate_workload *kernel_find(const char *name)
{
    static const struct kgate_workload *const workloads[] = {
#define KG_KERNEL(name, family) &kg_kernel_##name,
#include "registry.def"
#undef KG_KERNEL
    };
    for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++)
        if (!strcmp(workloads[i]->name, name))
            return workloads[i];
    return NULL;
}
