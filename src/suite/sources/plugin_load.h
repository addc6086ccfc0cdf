/* plugin_load.h: workloads from a shared object. To be called in a worker process only: loading
 * runs the object's own code. */
#pragma once
#include "base/error.h"
#include "base/text.h"
#include "kgate/plugin.h"
#include "suite/sources/own_pages.h"

/* Loads a shared object, which stays loaded, and finds a workload in it.
 * path     as the loader takes it; without a slash it is in the current folder
 * name     of the workload
 * given    whether the suite says this name; else, where the object has only one workload, that one
 *          is meant whatever its name
 * note     why the pages of its code are those of the file (own_pages.h); "" where they are not
 * returns  NULL with KG_ERROR_USAGE where the object cannot be loaded, is no plugin, or has another
 *          interface version or no such workload */
const struct kgate_workload *kg_plugin_load(const char *path, const char *name, bool given,
                                            char note[KG_OWN_PAGES_WORDS], struct kg_error *err);

/* Appends the names of the workloads in it, a line each. Errors as above. */
bool kg_plugin_list(const char *path, struct kg_text *names, struct kg_error *err);
