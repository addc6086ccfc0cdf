/* case_history.h: what a case was in the stored runs. */
#pragma once
#include <stdbool.h>

#include "judge/reference.h"
#include "model/comparison.h"

/* Sets the history of the case's time from the ordinary runs that it is compared with: of many the newest.
 * arena    owns it
 * scratch  for the time of the call
 * returns  false where memory is out */
bool kg_past_keep(struct kg_arena *arena, struct kg_arena *scratch,
                  const struct kg_reference *reference, struct kg_case_change *change);

/* The same of the metric of a series, which is not the case's time. */
bool kg_past_keep_metric(struct kg_arena *arena, struct kg_arena *scratch,
                         const struct kg_reference *reference, const struct kg_series *series,
                         struct kg_metric *metric);
