/* results_validate.h: whether what a results file says can be: for files that were edited, or
 * written by something else. Pure. */
#pragma once
#include "model/results.h"

/* Types fit already.
 * err  KG_ERROR_USAGE by the name of the first field whose value cannot be */
bool kg_results_validate(const struct kg_results *results, struct kg_error *err);
