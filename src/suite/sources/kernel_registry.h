/* kernel_registry.h: the built-in workloads. Constant data, thread-safe. */
#pragma once
#include <stddef.h>

#include "kgate/plugin.h"

/* All built-in workloads, `*count` of them, in the order of kernels/registry.def. */
const struct kgate_workload *const *kg_registry_workloads(size_t *count);

/* The one of that name, or NULL. */
const struct kgate_workload *kg_registry_find(const char *name);
