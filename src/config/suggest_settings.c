#include "config/suggest_settings.h"

#define REAL(member)                                                                               \
    {                                                                                              \
        .name = #member, .kind = KG_FIELD_REAL, .optional = true,                                  \
        .offset = offsetof(struct kg_suggest_settings, member)                                     \
    }
#define COUNT(member)                                                                              \
    {                                                                                              \
        .name = #member, .kind = KG_FIELD_COUNT, .optional = true,                                 \
        .offset = offsetof(struct kg_suggest_settings, member)                                     \
    }
static const struct kg_field fields[] = {
    REAL(small_call_ns), REAL(large_call_ns), COUNT(batch_calls), COUNT(cache_calls),
    COUNT(memory_bytes), REAL(utilization),   REAL(gap_share),    REAL(wait_share),
    REAL(imbalance),     REAL(line_waste),    REAL(growth),       REAL(bound_share),
    REAL(attainable),    REAL(min_gain),
};
const struct kg_record kg_suggest_settings_record =
    KG_RECORD_OF(struct kg_suggest_settings, fields);
