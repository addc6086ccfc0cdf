/* trace_pass.h: what the calls of every case on the GPU put on the device, found by processes apart
 * from the timed rounds. */
#pragma once
#include <stdbool.h>

#include "base/advice.h"
#include "run/measurement.h"

/* Fills the trace of each case that is on a stream of kgate's and can be measured, and adds what
 * the device's hardware counted: counters of source "cupti", which are shown, not judged. Cases
 * that differ in their timing alone are traced once. Whatever goes wrong, a crash included, is said
 * in the trace's reason and fails no case; after a time-out no more are traced. Interrupted, it leaves
 * the remaining cases without. */
void kg_trace_pass(struct kg_measurement *measurement, struct kg_advice *advice);
