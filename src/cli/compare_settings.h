/* compare_settings.h: judges stored results by other limits than those of their suite, for --set and --threshold of
 * `compare`. */
#pragma once
#include "cli/arguments.h"
#include "model/results.h"

/* Replaces limits of the results: thresholds, smallest changes, alpha, fail_on and undecided.
 * err  KG_ERROR_USAGE if a key or value is unknown, or if the key concerns the measurement */
bool kg_compare_settings_apply(const struct kg_arguments *arguments, struct kg_results *results,
                               struct kg_error *err);
