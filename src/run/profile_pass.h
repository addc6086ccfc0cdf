/* profile_pass.h: one extra pass over the cases with scopes on, in processes of their own, after
 * the timed rounds. It records where the time goes; how much it is, only the rounds say. */
#pragma once
#include <stdbool.h>

#include "run/measurement.h"

/* Runs every measured case once more and joins what its processes recorded into one recording at
 * `path`, in which each process is labelled with its case's id; results->profile becomes its name
 * without the folder. A command that is not built with the profiler adds nothing; where no case adds
 * anything, no file is made and results->no_profile says why. Interrupted, it keeps what there is. An
 * old recording is replaced only by a complete one.
 * returns  false where there is no recording (err); the results are as good as before it */
bool kg_profile_pass(struct kg_measurement *measurement, const char *path, struct kg_error *err);

/* "DIR/results.json" -> "DIR/results.kgprof"; in `arena`, NULL where memory is out. */
char *kg_profile_beside(struct kg_arena *arena, const char *results_path);
