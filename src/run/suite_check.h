/* suite_check.h: whether what a suite names is there: plugins are opened, each in a process of its own,
 * and asked for their workload and its parameters; CUDA sources are compiled there, with or without a
 * GPU; programs are looked for. Nothing is measured. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/shell_words.h"
#include "run/run.h"

/* Cases of plugins and CUDA sources that are opened, at most: a process each. */
enum { KG_OPENED_MOST = 500 };

struct kg_opening {
    size_t plugins;    /* cases whose plugin was opened */
    size_t sources;    /* cases whose CUDA source was compiled, or read */
    size_t left;       /* cases of both that were not opened, being more than KG_OPENED_MOST */
    size_t uncompiled; /* cases whose CUDA source was not: */
    char why_uncompiled[512];
    size_t programs;
    int signal; /* that asked to stop; 0 without one */
};

/* Stops at the first that is wrong: KG_ERROR_USAGE at its place in the suite. Cases that are
 * skipped on this machine are left out, but for those of CUDA sources. */
bool kg_open_all(const struct kg_prepared_suite *what, struct kg_opening *opening,
                 struct kg_error *err);

/* plugin_workloads.c: which workloads a plugin has, asked in a process that loads it. */

/* path   of the plugin
 * names  in `arena`, in the plugin's order
 * err    KG_ERROR_USAGE with the loader's words where it cannot be loaded, or has none */
bool kg_plugin_workloads(struct kg_arena *arena, const char *path, struct kg_words *names,
                         struct kg_error *err);
