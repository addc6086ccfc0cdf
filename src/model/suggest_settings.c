#include "model/suggest_settings.h"

#define STRUCT kg_suggest_settings
static const struct kg_field fields[] = {
    KG_FIELD(small_call_ns, REAL, "time below which a call is small, ns", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(large_call_ns, REAL,
             "time above which a call on the CPU may be worth a transfer to the GPU, ns",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(batch_calls, COUNT, "number of consecutive calls that may be combined into one",
             KG_OPTIONAL),
    KG_FIELD(cache_calls, COUNT, "number of small calls from which keeping results may be cheaper",
             KG_OPTIONAL),
    KG_FIELD(memory_bytes, COUNT, "peak memory above which kgate suggests saving memory, bytes",
             KG_OPTIONAL),
    KG_FIELD(utilization, REAL,
             "share of the cores, or of the GPU's capacity, below which parallelism is missing",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(gap_share, REAL, "share of the time spent on starting work", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(wait_share, REAL, "share of the time spent on waits or transfers", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(imbalance, REAL, "allowed excess of the busiest thread's work over an even share",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(line_waste, REAL, "cache lines beyond the bytes that the work needs, over those bytes",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(growth, REAL, "allowed excess of the exponent of time over the exponent of work",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(bound_share, REAL, "share of a peak above which the peak is the limit", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(attainable, REAL, "share of a peak that a well-made kernel reaches", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(min_gain, REAL, "least share of the time that a suggestion must save", KG_OPTIONAL,
             KG_FROM_0),
};
const struct kg_record kg_suggest_settings_record =
    KG_RECORD_OF(fields, "Thresholds of the suite for suggestions; 0: the default.");
#undef STRUCT
