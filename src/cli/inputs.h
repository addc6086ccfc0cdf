/* inputs.h: files that several subcommands read: a base, a recording beside results. */
#pragma once
#include <stdbool.h>

#include "baseline/baseline.h"
#include "profile/profile.h"
#include "results/results.h"
#include "util/arena.h"
#include "util/error.h"

/* The base: a results file as a baseline of one run, or a file of the store. */
struct kg_base {
    struct kg_results results; /* what the baseline borrows from; empty of a file of the store */
    struct kg_baseline baseline;
};
bool kg_base_load(const char *path, struct kg_base *base, struct kg_error *err);
void kg_base_free(struct kg_base *base);

/* Path of the recording that the results at `path` name, which lies beside them; in `arena`. NULL
 * where they name none, or memory is out. */
const char *kg_recording_path(struct kg_arena *arena, const char *path,
                              const struct kg_results *results);

/* What is given must be a file: it is read more than once, or looked into. */
bool kg_input_regular(const char *path, struct kg_error *err);
