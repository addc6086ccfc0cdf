/* discover.h: finds the benchmarks of programs of other harnesses (`format:` of a suite). kgate asks
 * the programs themselves. */
#pragma once
#include "run/run.h"

/* Whether kgate must still find a workload's benchmarks: no parameter names them. */
bool kg_discover_needed(const struct kg_suite *suite);

/* Runs each such program once, and adds the parameter with its benchmarks to the workload. The caller
 * must then make the plan again.
 * what   the plan must cover the whole suite, without a filter
 * head   the build whose programs kgate asks; NULL: the suite's programs
 * base   NULL, or with a head: the head must run this build's benchmarks too, so kgate adds them
 * suite  the suite in `what`; changed
 * err    KG_ERROR_USAGE at the workload if its program cannot be asked or lists an invalid name */
bool kg_discover(const struct kg_prepared_suite *what, const struct kg_build *head,
                 const struct kg_build *base, struct kg_suite *suite, struct kg_error *err);
