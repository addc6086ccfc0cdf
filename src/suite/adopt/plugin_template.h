/* plugin_template.h: a plugin to begin with (`kgate init --plugin NAME`), and its entry in a suite. Pure
 * functions: nothing is read and nothing is written. */
#pragma once
#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"

/* Whether the name can be that of a plugin's workload: a C identifier of at most 60 characters. */
bool kg_plugin_name_good(const char *name);

/* The source of a plugin with one KGATE_BENCH of that name. It compiles and measures as it stands. */
void kg_plugin_source(const char *name, struct kg_text *source);

/* The command that builds it.
 * include  the folder that has kgate/plugin.h; "": the compiler finds it; NULL: pkg-config does */
void kg_plugin_build_command(const char *name, const char *include, struct kg_text *command);

/* The lines of a suite's `workloads` for it, indented by so many blanks. */
void kg_plugin_entry(const char *name, unsigned indent, struct kg_text *yaml);

/* A suite with this workload alone. */
void kg_plugin_suite(const char *name, const char *suite, struct kg_text *yaml);

/* Adds the workload to a suite: every line of it stays.
 * path   of the suite, for errors
 * old    its text, of `length` bytes
 * yaml   is appended the new text; stays empty if the list of workloads is not in block style
 * err    KG_ERROR_USAGE: the suite has errors, or a workload of that name */
bool kg_plugin_entry_add(const char *name, const char *path, const char *old, size_t length,
                         struct kg_text *yaml, struct kg_error *err);
