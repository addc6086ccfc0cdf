/* count_pass.h: counts the instructions of every case whose suite compares them, in processes apart
 * from the timed rounds. */
#pragma once
#include <stdbool.h>

#include "run/measurement.h"

/* Adds a counter "instructions" to each such case: counted by perf_event where this machine allows
 * it, else by Valgrind's Callgrind. Where there is neither, the counter has no values, but a
 * reason. */
bool kg_count_pass(struct kg_measurement *measurement, struct kg_error *err);
