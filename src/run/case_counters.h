/* case_counters.h: the figures of a case that its workload reports, round by round. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "run/session.h"
#include "run/worker/protocol.h"

/* Appends a value to a counter of the run's results. */
void kg_case_value_append(const struct kg_session *session, struct kg_series *counter,
                          double value);

/* Appends what the workload reported in a round. The counters that the suite names have to be
 * there in every round: where one is not, *all is false and the case FAILED. What it does not
 * name is kept as a counter without a threshold, where it is a number from 0 up. What the
 * machine counted of a metric that the suite compares is appended to that metric's series; a
 * round without a value leaves the series without any, and with the reason. */
bool kg_case_counters_append(const struct kg_session *session, size_t index,
                             const struct kg_response *response, bool *all, struct kg_error *err);
