/* count_pass.h: counts the instructions of every case whose suite compares them: processes of their
 * own, apart from the timed rounds. */
#pragma once
#include <stdbool.h>

#include "measure/measurement.h"

/* Adds a counter "instructions" to each such case: by perf_event where this machine allows it, else
 * by Valgrind's Callgrind; where there is neither, one without values and with the reason. */
bool kg_count_pass(struct kg_measurement *measurement, struct kg_error *err);
