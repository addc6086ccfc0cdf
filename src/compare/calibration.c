#include "compare/calibration.h"

#define OPTIONAL(type, member, field_kind)                                                         \
    {                                                                                              \
        .name = #member, .kind = (field_kind), .optional = true,                                   \
        .offset = offsetof(struct type, member)                                                    \
    }
#define CASE(member, field_kind) KG_FIELD(struct kg_calibrated_case, member, field_kind)
static const struct kg_field case_fields[] = {
    CASE(id, KG_FIELD_STRING),
    CASE(threshold, KG_FIELD_REAL),
    OPTIONAL(kg_calibrated_case, run_scatter, KG_FIELD_REAL),
    OPTIONAL(kg_calibrated_case, round_scatter, KG_FIELD_REAL),
    OPTIONAL(kg_calibrated_case, worst_ratio, KG_FIELD_REAL),
    CASE(alarms, KG_FIELD_SIZE),
    CASE(doubts, KG_FIELD_SIZE),
    OPTIONAL(kg_calibrated_case, caught, KG_FIELD_REAL),
    CASE(rounds, KG_FIELD_REAL),
    OPTIONAL(kg_calibrated_case, advice, KG_FIELD_STRING),
};
static const struct kg_record case_record = KG_RECORD_OF(struct kg_calibrated_case, case_fields);

#define WHOLE(member, field_kind) KG_FIELD(struct kg_calibration, member, field_kind)
static const struct kg_field fields[] = {
    WHOLE(created, KG_FIELD_STRING),
    WHOLE(kgate_version, KG_FIELD_STRING),
    WHOLE(suite, KG_FIELD_STRING),
    {.name = "machine",
     .kind = KG_FIELD_RECORD,
     .offset = offsetof(struct kg_calibration, machine),
     .record = &kg_machine_record},
    WHOLE(runs, KG_FIELD_SIZE),
    WHOLE(pairs, KG_FIELD_SIZE),
    WHOLE(alarmed_pairs, KG_FIELD_SIZE),
    WHOLE(alarmed_runs, KG_FIELD_SIZE),
    WHOLE(alpha, KG_FIELD_REAL),
    {.name = "cases",
     .kind = KG_FIELD_RECORDS,
     .offset = offsetof(struct kg_calibration, cases),
     .count_offset = offsetof(struct kg_calibration, case_count),
     .record = &case_record},
};
const struct kg_record kg_calibration_record = KG_RECORD_OF(struct kg_calibration, fields);

void kg_calibration_free(struct kg_calibration *calibration)
{
    kg_arena_free(&calibration->arena);
    *calibration = (struct kg_calibration){0};
}
