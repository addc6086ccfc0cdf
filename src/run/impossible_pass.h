/* impossible_pass.h: refuses cases whose rates their machine cannot have. */
#pragma once
#include <stdbool.h>

#include "run/measurement.h"

/* Summarises the results, and makes each case FAILED whose rate is impossible (impossible.h): after
 * rounds, and before they are compared. Rates on the CPU are judged by the results' ceilings; where
 * they have none, by what an earlier run measured, else by what no CPU reaches. Ceilings that are not
 * of this run are measured before they fail a case. Rates of another harness's program are its own
 * notion of work, and not judged.
 * returns  false where measuring broke, or memory is out */
bool kg_impossible_refuse(struct kg_measurement *measurement, struct kg_error *err);
