/* suggest_overrides.h: thresholds for suggestions: their defaults, and values from `--set`. */
#pragma once
#include "base/error.h"
#include "model/suggest_settings.h"

/* Replaces each value that the table of keys does not allow (such as NaN or 0) by the table's default. */
void kg_suggest_settings_complete(struct kg_suggest_settings *settings);

/* Applies `count` texts "suggest.KEY=value" or "KEY=value", for the --set of commands that read results without a
 * suite. The function first completes the settings.
 * err  KG_ERROR_USAGE, as for `--set` with a suite; the settings then stay unchanged */
bool kg_suggest_settings_set(struct kg_suggest_settings *settings, const char *const *overrides,
                             size_t count, struct kg_error *err);
