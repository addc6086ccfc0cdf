/* plugin_workloads.h: which workloads a plugin has, asked in a process that loads it. */
#pragma once
#include "base/arena.h"
#include "base/error.h"
#include "base/words.h"

/* path   of the plugin
 * names  in `arena`, in the plugin's order
 * err    KG_ERROR_USAGE with the loader's words where it cannot be loaded, or has none */
bool kg_plugin_workloads(struct kg_arena *arena, const char *path, struct kg_words *names,
                         struct kg_error *err);
