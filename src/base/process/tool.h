/* tool.h: a program of the system that makes a file of a text, such as gnuplot of a script: started
 * without a shell, in a folder of its own, ended with kgate and in time. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

enum { KG_TOOL_PATH_BYTES = 4096 };

/* The program of that name in the folders of PATH; false where there is none. */
bool kg_tool_find(const char *name, char path[KG_TOOL_PATH_BYTES]);

struct kg_tool_run {
    const char *program;    /* a path */
    char *const *arguments; /* NULL-terminated, the first is its name */
    const char *input;      /* for its standard input */
    size_t input_length;
    const char *file; /* that it writes in the folder where it runs */
    double timeout_ns;
};

/* Runs it to its end and appends the file's bytes. The folder is gone afterwards.
 * err  KG_ERROR_SYSTEM where it could not be run, failed, took too long, or left no such file: with
 *      the last that it wrote */
bool kg_tool_make(const struct kg_tool_run *run, struct kg_text *bytes, struct kg_error *err);
