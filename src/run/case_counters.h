/* case_counters.h: the figures of a case that its workload reports, round by round. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "run/session.h"
#include "run/worker/protocol.h"

/* Appends a value to a counter of the run's results. */
void kg_case_value_append(const struct kg_session *session, struct kg_series *counter,
                          double value);

/* Appends a round's reported figures. A counter that the suite names must have a value in every
 * round; if one is missing, *all is false and the case FAILED. Another figure becomes a counter
 * without a threshold, if it is a number of at least 0. Values that the machine counted go to the
 * series of a compared metric. A round without such a value removes all values of that series, and
 * sets the reason. */
bool kg_case_counters_append(const struct kg_session *session, size_t index,
                             const struct kg_response *response, bool *all, struct kg_error *err);
