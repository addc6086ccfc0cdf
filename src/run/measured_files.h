/* measured_files.h: the files whose code is measured, by the hash of their bytes, so that the store
 * can keep the builds behind its numbers (judge/builds.h). */
#pragma once
#include <stdbool.h>

#include "model/results.h"
#include "run/build.h"
#include "suite/plan.h"

/* The file with the case's code, as the suite or the build names it; NULL if there is none.
 * arena  owns the path of a file beside a kgate
 * build  NULL: this kgate, and the file that the suite names */
const char *kg_measured_file_of(struct kg_arena *arena, const struct kg_build *build,
                                const struct kg_case *planned);

/* Sets `build` of every case, and the files that they name. A case is left without one where a copy
 * of its file would not bring the code: a script, an interpreter or another program that starts
 * what it is told to, a program of the system.
 * builds   of each case, NULL in the place of this kgate; NULL: this kgate for all */
void kg_measured_files_find(const struct kg_plan *plan, const struct kg_build *const *builds,
                            struct kg_results *results);
