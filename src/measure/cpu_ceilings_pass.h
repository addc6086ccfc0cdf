/* cpu_ceilings_pass.h: what the CPU of a run is capable of: as it was measured before, or by a
 * process of its own. */
#pragma once
#include <stdbool.h>

#include "measure/measurement.h"

/* Fills the CPU's ceilings of the results where a case runs on it and may be looked at, and keeps
 * what it measured for the next run. After the rounds, whose probe says whether the machine is as
 * it was. That they cannot be measured or kept is no failure: `reason` says why. */
bool kg_cpu_ceilings_pass(struct kg_measurement *measurement, struct kg_error *err);
