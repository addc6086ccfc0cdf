/* overall.h: the change of a whole suite. */
#pragma once
#include <stdbool.h>

#include "model/comparison.h"

/* Sets comparison->overall from its compared cases. Leaves it empty if no case compared a time. */
void kg_overall_make(struct kg_comparison *comparison);
