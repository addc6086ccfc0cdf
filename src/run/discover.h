/* discover.h: the benchmarks of programs of other harnesses (`format:` of a suite), asked of the programs
 * themselves. */
#pragma once
#include "run/run.h"

/* Whether a workload's benchmarks are still to be found: it names none as a parameter. */
bool kg_discover_needed(const struct kg_suite *suite);

/* Runs these programs once, and gives their workloads the parameter that names the benchmarks. The plan is
 * then to be made anew.
 * what   its plan is of the whole suite, without a filter
 * head   whose programs are asked; NULL: the suite's
 * base   with a head: benchmarks that only it has are found, too, so that the head is asked to run them; may be
 *        NULL
 * suite  that of `what`
 * err    KG_ERROR_USAGE at the workload where its program cannot be asked, or lists what is no name */
bool kg_discover(const struct kg_prepared_suite *what, const struct kg_build *head,
                 const struct kg_build *base, struct kg_suite *suite, struct kg_error *err);
