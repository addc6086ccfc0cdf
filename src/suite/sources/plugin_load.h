/* plugin_load.h: workloads from a shared object. Loading runs the object's own code. So only a worker process loads a
 * user's plugin; the plugins of kgate's own kernels are loaded by kgate too. */
#pragma once
#include "base/error.h"
#include "base/text.h"
#include "kgate/plugin.h"
#include "suite/sources/own_pages.h"

/* Whose a plugin is. */
enum kg_plugin_kind {
    KG_PLUGIN_OTHER, /* a user's: all its symbols are resolved when it is loaded */
    KG_PLUGIN_OWN, /* kgate's, which came whole: a start costs less. Symbols are resolved when they are called first.
                      * The pages are those of the file, since one with the CUDA runtime has hundreds */
};

/* Loads a shared object, which stays loaded, and finds a workload in it.
 * path     as the loader takes it; without a slash it is in the current folder
 * name     of the workload
 * given    whether the suite says this name; else, where the object has only one workload, that one
 *          is meant whatever its name
 * note     why the pages of its code are those of the file (own_pages.h); "" where they are not
 * returns  NULL with KG_ERROR_USAGE where the object cannot be loaded, is no plugin, or has another
 *          interface version or no such workload */
const struct kgate_workload *kg_plugin_load(const char *path, enum kg_plugin_kind kind,
                                            const char *name, bool given,
                                            char note[KG_OWN_PAGES_WORDS], struct kg_error *err);

/* Appends the names of the workloads in it, a line each. Errors as above. */
bool kg_plugin_list(const char *path, struct kg_text *names, struct kg_error *err);
