/* measured_files.h: identifies the files of the measured code by the hash of their bytes. The store
 * can then keep the builds behind its numbers (judge/builds.h). */
#pragma once

#include "model/results.h"
#include "run/build.h"
#include "suite/plan.h"

/* The file with the case's code, as the suite or the build names it; NULL if there is none.
 * arena  owns the path of a file beside a kgate
 * build  NULL: this kgate, and the file that the suite names */
const char *kg_measured_file_of(struct kg_arena *arena, const struct kg_build *build,
                                const struct kg_case *planned);

/* Sets `build` of every case, and adds the files to the results. Some cases get no build, because a
 * copy of their file would not bring the code: a script, an interpreter, a program that starts other
 * programs, or a program of the system.
 * builds   per case, NULL instead of this kgate; NULL: this kgate for all */
void kg_measured_files_find(const struct kg_plan *plan, const struct kg_build *const *builds,
                            struct kg_results *results);
