/* tool.h: runs a program of the system that turns a text into a file, such as gnuplot with a
 * script. The program starts without a shell, in a folder of its own. It has a time limit, and ends
 * with kgate. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

enum { KG_TOOL_PATH_BYTES = 4096 };

/* Finds the program in the folders of PATH; false if there is none. */
bool kg_tool_find(const char *name, char path[KG_TOOL_PATH_BYTES]);

struct kg_tool_run {
    const char *program;    /* a path */
    char *const *arguments; /* NULL-terminated; the first is the program's name */
    const char *input;      /* for its standard input */
    size_t input_length;
    const char *file; /* name of the program's output file in its folder */
    double timeout_ns;
};

/* Runs the program to its end and appends the bytes of its file. Removes the folder.
 * err  KG_ERROR_SYSTEM if the program could not run, failed or took too long, with its last output.
 *      If it left no file: the error of kg_file_read */
bool kg_tool_make(const struct kg_tool_run *run, struct kg_text *bytes, struct kg_error *err);
