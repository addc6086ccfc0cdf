#include "suite/sources/plugin_load.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/library.h"
#include "base/nearest.h"
#include "base/text.h"
#include "suite/sources/own_pages.h"

enum { NAMES_MOST = 256 };

/* Appends the nearest known name. If no name is near: the first names. */
static void names_append(struct kg_text *text, const char *name, const char *const *names,
                         size_t count)
{
    enum { SHOWN_MOST = 8 };
    const char *nearest = kg_nearest(name, names, count);
    if (nearest) {
        kg_text_printf(text, "; did you mean '%s'?", nearest);
        return;
    }
    for (size_t i = 0; i < count && i < SHOWN_MOST; i++)
        kg_text_printf(text, "%s'%s'", i ? ", " : "; it has ", names[i]);
    if (count > SHOWN_MOST)
        kg_text_append(text, ", …");
}

static const struct kgate_workload *workload_find(const struct kgate_plugin *plugin,
                                                  const char *path, const char *name, bool given,
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
    if (plugin->workload_count == 1 && !given)
        return plugin->workloads[0];
    struct kg_text text = {0};
    kg_text_printf(&text, "plugin '%s' has no workload '%s'", path, name);
    names_append(&text, name, names, count);
    if (!given)
        kg_text_append(&text, "; name one with `workload:`");
    kg_error_set(err, KG_ERROR_USAGE, "%s", kg_text_string(&text));
    kg_text_free(&text);
    return NULL;
}

/* The workloads of KGATE_BENCH as a plugin's list; NULL if there are none. A process has one plugin at a time. If a
 * workload has another interface version than kgate, the list has that version. */
static const struct kgate_plugin *benches_list(void *object)
{
    static const struct kgate_workload *workloads[NAMES_MOST];
    static struct kgate_plugin plugin;
    struct kg_exported found[NAMES_MOST];
    const size_t count = kg_library_exported(object, "kgate_bench_", found, NAMES_MOST);
    plugin = (struct kgate_plugin){KGATE_PLUGIN_ABI, workloads, 0};
    for (size_t i = 0; i < count && i < NAMES_MOST && plugin.abi == KGATE_PLUGIN_ABI; i++) {
        const struct kgate_bench *bench = found[i].address;
        workloads[plugin.workload_count++] = &bench->workload;
        plugin.abi = bench->abi;
    }
    return count ? &plugin : NULL;
}

/* Gets the list of the object's workloads, from KGATE_BENCH or from kgate_plugin_workloads. */
static bool object_list(void *object, const char *path, const struct kgate_plugin **plugin,
                        struct kg_error *err)
{
    static const struct kg_symbol symbol = {"kgate_plugin_workloads", NULL, 0, true};
    kgate_plugin_workloads_function workloads;
    const struct kgate_plugin *benches = benches_list(object);
    kg_library_symbols(object, &symbol, 1, &workloads);
    if (!workloads && !benches)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "'%s' is no kgate plugin: it has neither a KGATE_BENCH nor a function "
                            "kgate_plugin_workloads",
                            path);
    if (workloads && benches)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "plugin '%s' has both a KGATE_BENCH and a function "
                            "kgate_plugin_workloads: remove one",
                            path);
    *plugin = benches ? benches : workloads();
    return true;
}

/* Ends the threads of an OpenBLAS that the object loaded. They start with the load and then spin for some 50 ms, longer
 * than a short round. The next multithreaded operation starts them again. */
static void blas_rest(void *object)
{
    static const struct kg_symbol symbol = {"blas_thread_shutdown_", NULL, 0, true};
    int (*shutdown)(void);
    kg_library_symbols(object, &symbol, 1, &shutdown);
    if (shutdown)
        shutdown();
}

/* Loads the object and returns its workloads; NULL with err if it is no plugin of this interface version.
 * note  NULL: kgate times nothing of the object, so it copies no pages */
static const struct kgate_plugin *plugin_open(const char *path, enum kg_plugin_kind kind,
                                              char *note, struct kg_error *err)
{
    char here[4096], why[1024];
    snprintf(here, sizeof here, "%s%s", strchr(path, '/') ? "" : "./", path);
    if (access(here, F_OK) == 0 && !kg_file_is_regular(here)) {
        kg_error_set(err, KG_ERROR_USAGE, "cannot load the plugin: '%s' is no regular file", here);
        return NULL;
    }
    const size_t loaded = kg_objects_loaded();
    void *object =
        (kind == KG_PLUGIN_OWN ? kg_library_open_lazily : kg_library_open)(here, why, sizeof why);
    if (!object) {
        kg_error_set(err, KG_ERROR_USAGE, "cannot load the plugin: %s%s", *why ? why : here,
                     *why ? "" : ": there is no such file");
        return NULL;
    }
    blas_rest(object);
    if (note && kind != KG_PLUGIN_OWN)
        kg_own_pages(loaded, note);
    const struct kgate_plugin *plugin = NULL;
    if (!object_list(object, path, &plugin, err))
        return NULL;
    if (!plugin || plugin->abi != KGATE_PLUGIN_ABI) {
        kg_error_set(err, KG_ERROR_USAGE,
                     "plugin '%s' has interface version %u, this kgate has %u: build it again",
                     path, plugin ? plugin->abi : 0, KGATE_PLUGIN_ABI);
        return NULL;
    }
    return plugin;
}

const struct kgate_workload *kg_plugin_load(const char *path, enum kg_plugin_kind kind,
                                            const char *name, bool given,
                                            char note[KG_OWN_PAGES_WORDS], struct kg_error *err)
{
    const struct kgate_plugin *plugin = plugin_open(path, kind, note, err);
    return plugin ? workload_find(plugin, path, name, given, err) : NULL;
}

bool kg_plugin_list(const char *path, struct kg_text *names, struct kg_error *err)
{
    const struct kgate_plugin *plugin = plugin_open(path, KG_PLUGIN_OTHER, NULL, err);
    for (size_t i = 0; plugin && i < plugin->workload_count; i++)
        kg_text_printf(names, "%s\n", plugin->workloads[i]->name);
    return plugin;
}
