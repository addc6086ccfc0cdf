#include "device/ceilings.h"

#define CEILING(member)                                                                            \
    {                                                                                              \
        .name = #member, .kind = KG_FIELD_REAL, .optional = true,                                  \
        .offset = offsetof(struct kg_ceilings, member)                                             \
    }
#define TEXT(member)                                                                               \
    {                                                                                              \
        .name = #member, .kind = KG_FIELD_STRING, .optional = true,                                \
        .offset = offsetof(struct kg_ceilings, member)                                             \
    }
static const struct kg_field fields[] = {
    CEILING(copy_bytes_per_s),
    CEILING(read_bytes_per_s),
    CEILING(fma_flops_per_s),
    CEILING(tensor_flops_per_s),
    CEILING(launch_ns),
    CEILING(sm_clock_hz),
    TEXT(uuid),
    TEXT(measured),
    TEXT(reason),
};
const struct kg_record kg_ceilings_record = KG_RECORD_OF(struct kg_ceilings, fields);
