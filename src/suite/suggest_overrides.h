/* suggest_overrides.h: defaults of the thresholds for suggestions, and their values from `--set`. */
#pragma once
#include "base/error.h"
#include "model/suggest_settings.h"

/* Puts the defaults of the table where a value is missing: not finite, 0, or none that the table
 * allows. */
void kg_suggest_settings_complete(struct kg_suggest_settings *settings);

/* Applies `count` texts "suggest.KEY=value" or "KEY=value" where there is no suite: --set of what
 * reads results. The settings are completed first.
 * err  on failure KG_ERROR_USAGE, as of `--set` with a suite; the settings are then as they were */
bool kg_suggest_settings_set(struct kg_suggest_settings *settings, const char *const *overrides,
                             size_t count, struct kg_error *err);
