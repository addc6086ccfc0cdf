/* overall.h: the change of a suite as a whole. */
#pragma once
#include <stdbool.h>

#include "model/comparison.h"

/* Sets comparison->overall from its compared cases; none where no time was compared. */
void kg_overall_make(struct kg_comparison *comparison);
