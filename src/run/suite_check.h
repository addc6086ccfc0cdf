/* suite_check.h: checks that the plugins, CUDA sources and programs of a suite exist. A process of its
 * own opens each plugin and asks for the workload and its parameters. It also compiles CUDA sources,
 * with or without a GPU. kgate searches for programs. Nothing is measured. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/shell_words.h"
#include "run/run.h"

/* Most cases of plugins and CUDA sources that kgate opens: each needs a process. */
enum { KG_OPENED_MOST = 500 };

struct kg_opening {
    size_t plugins;    /* cases whose plugin was opened */
    size_t sources;    /* cases whose CUDA source was compiled, or read */
    size_t left;       /* cases of both kinds beyond KG_OPENED_MOST, not opened */
    size_t uncompiled; /* cases whose CUDA source was not compiled */
    char why_uncompiled[512];
    size_t programs;
    int signal; /* the signal that asked to stop; 0 without one */
};

/* Stops at the first mistake: KG_ERROR_USAGE at its place in the suite. Ignores cases that are
 * skipped on this machine, except those of CUDA sources. */
bool kg_open_all(const struct kg_prepared_suite *what, struct kg_opening *opening,
                 struct kg_error *err);

/* plugin_workloads.c: lists a plugin's workloads, in a process that loads the plugin. */

/* Lists the workloads of the plugin at `path`.
 * names  in `arena`, in the plugin's order
 * err    KG_ERROR_USAGE with the loader's message if the plugin cannot be loaded or has no workload */
bool kg_plugin_workloads(struct kg_arena *arena, const char *path, struct kg_words *names,
                         struct kg_error *err);
