/* cpu_counters_pass.h: looks at cases on the CPU apart from their timed rounds, in processes of
 * their own: the time with one thread of what may use more, and the cache lines of what has its
 * instructions counted. Decides nothing, and fails no case. */
#pragma once
#include <stdbool.h>

#include "base/advice.h"
#include "run/measurement.h"

/* Fills `look` of every such case unless the suite says `trace: no`. `look.reason` says what could
 * not be measured. */
void kg_cpu_counters_pass(struct kg_measurement *measurement, struct kg_advice *advice);
