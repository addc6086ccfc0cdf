/* plugin_load.h: loads workloads from a shared object. Loading runs the object's own code. So only a worker process
 * loads a user's plugin. kgate itself loads only the plugins of its own kernels. */
#pragma once
#include "base/error.h"
#include "base/text.h"
#include "kgate/plugin.h"
#include "suite/sources/own_pages.h"

/* The owner of a plugin. */
enum kg_plugin_kind {
    /* a user's plugin: the loader resolves all symbols at once */
    KG_PLUGIN_OTHER,
    /* kgate's own plugin, known to be complete: the loader resolves each symbol at its first call, so a start costs
     * less. kgate does not copy its pages, because a plugin with the CUDA runtime has hundreds. */
    KG_PLUGIN_OWN,
};

/* Loads a shared object, which stays loaded, and finds a workload in it.
 * path     path for the loader; without a slash the file is in the current folder
 * name     name of the workload
 * given    Whether the suite names the workload. If not, an object with one workload matches any name.
 * note     Reason why some code pages stay shared with the file (own_pages.h); "" if kgate copied all.
 * returns  NULL with KG_ERROR_USAGE: not loadable, no plugin, other interface version, or no such workload */
const struct kgate_workload *kg_plugin_load(const char *path, enum kg_plugin_kind kind,
                                            const char *name, bool given,
                                            char note[KG_OWN_PAGES_WORDS], struct kg_error *err);

/* Appends the names of the object's workloads, one per line. Fails as kg_plugin_load. */
bool kg_plugin_list(const char *path, struct kg_text *names, struct kg_error *err);
