/* ceilings_pass.h: the ceilings of a run's GPU: as stored by an earlier run, or measured now by a
 * process of its own. */
#pragma once
#include <stdbool.h>

#include "run/session.h"

/* Fills the ceilings of the results where a case runs on a stream of kgate's, and stores what it
 * measured for the next run. Called again after the rounds, it measures again if those ran at
 * another clock. Ceilings that cannot be measured or stored are no failure: the shares of the
 * results are then unknown, and `reason` says why. */
bool kg_ceilings_pass(const struct kg_session *session, struct kg_error *err);
