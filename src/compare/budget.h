/* budget.h: a case's figures against the suite's absolute limits. */
#pragma once
#include <stdbool.h>

#include "compare/comparison.h"

/* Judges one budget of a measured case into a metric "against budget": REGRESSION with a reason
 * where it is violated, INCONCLUSIVE where the figure is not known, else NO_CHANGE. The median is
 * held against the limit as it stands: a limit is the suite's to choose with room for noise.
 * Strings live in `arena`; false where memory is out. */
bool kg_budget_judge(struct kg_arena *arena, const struct kg_case_result *result,
                     const struct kg_limit *budget, struct kg_metric *metric);
