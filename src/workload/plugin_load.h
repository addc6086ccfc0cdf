/* plugin_load.h: workloads from a shared object. To be called in a worker process only: loading
 * runs the object's own code. */
#pragma once
#include "kgate/plugin.h"
#include "util/error.h"

/* Loads the shared object at `path` (as dlopen finds it; without a slash the current folder is
 * meant) and finds the workload `name` in it, or its only one where there is but one. It stays
 * loaded. returns NULL with KG_ERROR_USAGE where it cannot be loaded, is no plugin, has another
 * interface version or no such workload */
const struct kgate_workload *kg_plugin_load(const char *path, const char *name,
                                            struct kg_error *err);
