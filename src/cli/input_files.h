/* input_files.h: input files of several subcommands. */
#pragma once
#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "model/baseline.h"
#include "model/results.h"
#include "profiler/read/profile.h"

/* The base: a results file as a baseline of one run, or a file of the store. */
struct kg_base {
    struct kg_results results; /* owner of the baseline's strings; empty for a file of the store */
    struct kg_baseline baseline;
};
bool kg_base_load(const char *path, struct kg_base *base, struct kg_error *err);
void kg_base_free(struct kg_base *base);

/* Whether the path is a regular file. kgate reads it more than once or seeks in it, so a pipe does not work. */
bool kg_input_regular(const char *path, struct kg_error *err);
