#include "workload/plugin_load.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "util/nearest.h"

enum { NAMES_MOST = 256 };

static const struct kgate_workload *workload_find(const struct kgate_plugin *plugin,
                                                  const char *path, const char *name,
                                                  struct kg_error *err)
{
    const char *names[NAMES_MOST];
    size_t count = 0;
    for (size_t i = 0; i < plugin->workload_count; i++) {
        if (!strcmp(plugin->workloads[i]->name, name))
            return plugin->workloads[i];
        if (count < NAMES_MOST)
            names[count++] = plugin->workloads[i]->name;
    }
    if (plugin->workload_count == 1)
        return plugin->workloads[0];
    const char *nearest = kg_nearest(name, names, count);
    kg_error_set(err, KG_ERROR_USAGE,
                 "plugin '%s' has no workload '%s'%s%s%s; name one with `workload:`", path, name,
                 nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    return NULL;
}

const struct kgate_workload *kg_plugin_load(const char *path, const char *name,
                                            struct kg_error *err)
{
    char here[4096];
    snprintf(here, sizeof here, "%s%s", strchr(path, '/') ? "" : "./", path);
    void *object = dlopen(here, RTLD_NOW | RTLD_LOCAL);
    if (!object) {
        kg_error_set(err, KG_ERROR_USAGE, "cannot load the plugin: %s", dlerror());
        return NULL;
    }
    kgate_plugin_workloads_function workloads;
    void *symbol = dlsym(object, "kgate_plugin_workloads");
    if (!symbol) {
        kg_error_set(err, KG_ERROR_USAGE,
                     "'%s' is no kgate plugin: it has no function kgate_plugin_workloads", path);
        return NULL;
    }
    /* ISO C has no conversion from object to function pointer; POSIX promises this one. */
    memcpy(&workloads, &symbol, sizeof workloads);
    const struct kgate_plugin *plugin = workloads();
    if (!plugin || plugin->abi < 1 || plugin->abi > KGATE_PLUGIN_ABI) {
        kg_error_set(err, KG_ERROR_USAGE,
                     "plugin '%s' has interface version %u, this kgate has %u: build it again",
                     path, plugin ? plugin->abi : 0, KGATE_PLUGIN_ABI);
        return NULL;
    }
    return workload_find(plugin, path, name, err);
}
