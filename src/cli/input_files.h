/* input_files.h: files that several subcommands read. */
#pragma once
#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "model/baseline.h"
#include "model/results.h"
#include "profiler/read/profile.h"

/* The base: a results file as a baseline of one run, or a file of the store. */
struct kg_base {
    struct kg_results results; /* what the baseline borrows from; empty of a file of the store */
    struct kg_baseline baseline;
};
bool kg_base_load(const char *path, struct kg_base *base, struct kg_error *err);
void kg_base_free(struct kg_base *base);

/* What is given must be a file: it is read more than once, or looked into. */
bool kg_input_regular(const char *path, struct kg_error *err);
