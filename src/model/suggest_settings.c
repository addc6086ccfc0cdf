#include "model/suggest_settings.h"

#define STRUCT kg_suggest_settings
static const struct kg_field fields[] = {
    KG_FIELD(small_call_ns, REAL, "a call that takes less is small", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(large_call_ns, REAL,
             "a call on the CPU that takes more may be worth the way to the GPU", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(batch_calls, COUNT, "calls in sequence that may be made one", KG_OPTIONAL),
    KG_FIELD(cache_calls, COUNT, "small calls from which on keeping results may be cheaper",
             KG_OPTIONAL),
    KG_FIELD(memory_bytes, COUNT, "memory of which more is asked why", KG_OPTIONAL),
    KG_FIELD(utilization, REAL,
             "share of the cores, or of what the GPU can hold, under which parallelism is missing",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(gap_share, REAL, "share of the time spent on starting work", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(wait_share, REAL, "share of the time spent on waiting or on transfers", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(imbalance, REAL, "how much more than an even share the busiest thread may have to do",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(line_waste, REAL, "cache lines beyond the bytes that the work needs, over those bytes",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(growth, REAL, "by how much the exponent that time grows with may be above the work's",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(bound_share, REAL, "share of a roof from which on it is what limits", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(attainable, REAL, "share of a roof that a well-made kernel reaches", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(min_gain, REAL, "least share of the time that a suggestion must save", KG_OPTIONAL,
             KG_FROM_0),
};
const struct kg_record kg_suggest_settings_record =
    KG_RECORD_OF(fields, "The suite's thresholds for suggestions; 0: the default.");
#undef STRUCT
