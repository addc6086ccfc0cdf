/* suggest_settings.h: thresholds of suggestions: `suggest:` of a suite, stored in its results. The
 * table kg_suggest_keys (suite_keys.c) explains each to the user. */
#pragma once
#include <stdint.h>

#include "base/record.h"

struct kg_suggest_settings {
    double small_call_ns;
    double large_call_ns;
    uint64_t batch_calls;
    uint64_t cache_calls;
    uint64_t memory_bytes;
    double utilization; /* from here on: shares */
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
