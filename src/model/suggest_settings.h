/* suggest_settings.h: from where on something is worth a suggestion: `suggest:` of a suite, stored
 * in its results. What each means to a user is said in the table kg_suggest_keys (suite_keys.c). */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/record.h"

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
