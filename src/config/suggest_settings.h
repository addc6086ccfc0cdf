/* suggest_settings.h: from where on something is worth a suggestion: `suggest:` of a suite, stored
 * in its results. What each means to a user is said in the table kg_suggest_keys (suite_keys.c). */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"
#include "util/record.h"

struct kg_suggest_settings {
    double small_call_ns;
    double large_call_ns;
    uint64_t batch_calls;
    uint64_t cache_calls;
    uint64_t memory_bytes;
    double utilization; /* this and all that follow are shares */
    double gap_share;
    double wait_share;
    double imbalance;
    double line_waste;
    double growth;
    double bound_share;
    double attainable;
    double min_gain;
};

extern const struct kg_record kg_suggest_settings_record;

/* Puts the defaults of the table where a value is missing: not finite, 0, or none that the table
 * allows. */
void kg_suggest_settings_complete(struct kg_suggest_settings *settings);

/* Applies `count` texts "suggest.KEY=value" or "KEY=value" where there is no suite: --set of what
 * reads results. The settings are completed first.
 * err  on failure KG_ERROR_USAGE, as of `--set` with a suite; the settings are then as they were */
bool kg_suggest_settings_set(struct kg_suggest_settings *settings, const char *const *overrides,
                             size_t count, struct kg_error *err);
