#include "device/cpu_ceilings.h"

const char *const kg_level_names[KG_LEVEL_COUNT + 1] = {"L1", "L2", "L3", "memory", NULL};

#define FIGURE(type, member)                                                                       \
    {                                                                                              \
        .name = #member, .kind = KG_FIELD_REAL, .optional = true, .offset = offsetof(type, member) \
    }
#define CEILING(member) FIGURE(struct kg_cpu_ceiling, member)
static const struct kg_field ceiling_fields[] = {
    CEILING(threads),
    CEILING(scalar_flops_per_s),
    CEILING(vector_flops_per_s),
    CEILING(l1_bytes_per_s),
    CEILING(l2_bytes_per_s),
    CEILING(l3_bytes_per_s),
    CEILING(memory_bytes_per_s),
};
static const struct kg_record ceiling_record = KG_RECORD_OF(struct kg_cpu_ceiling, ceiling_fields);

#define CPU(member) FIGURE(struct kg_cpu_ceilings, member)
#define RATES(member)                                                                              \
    {                                                                                              \
        .name = #member, .kind = KG_FIELD_RECORD, .optional = true,                                \
        .offset = offsetof(struct kg_cpu_ceilings, member), .record = &ceiling_record              \
    }
#define TEXT(member)                                                                               \
    {                                                                                              \
        .name = #member, .kind = KG_FIELD_STRING, .optional = true,                                \
        .offset = offsetof(struct kg_cpu_ceilings, member)                                         \
    }
static const struct kg_field fields[] = {
    RATES(one),
    RATES(all),
    CPU(l1_bytes),
    CPU(l2_bytes),
    CPU(l3_bytes),
    CPU(clock_hz),
    CPU(memory_latency_ns),
    CPU(fork_join_ns),
    CPU(barrier_ns),
    CPU(line_transfer_ns),
    CPU(page_fault_ns),
    TEXT(measured),
    TEXT(reason),
};
const struct kg_record kg_cpu_ceilings_record = KG_RECORD_OF(struct kg_cpu_ceilings, fields);
