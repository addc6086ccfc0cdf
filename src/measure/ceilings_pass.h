/* ceilings_pass.h: what the GPU of a run is capable of: as it was measured before, or by a process
 * of its own. */
#pragma once
#include <stdbool.h>

#include "measure/measurement.h"

/* Fills the ceilings of the results where a case runs on a stream of kgate's, and keeps what it
 * measured for the next run. Called again after rounds, it measures anew where those ran at another
 * clock. That they cannot be measured or kept is no failure: the shares of the results are then not
 * known, and `reason` says why. */
bool kg_ceilings_pass(struct kg_measurement *measurement, struct kg_error *err);
