#include "worker/protocol.h"

static const char *const task_names[] = {"check", "round",    "turns",        "count", "profile",
                                         "trace", "ceilings", "cpu_ceilings", NULL};

#define REQUEST(member, field_kind) KG_FIELD(struct kg_request, member, field_kind)
#define REQUEST_OPTIONAL(member, field_kind)                                                       \
    {                                                                                              \
        .name = #member, .kind = (field_kind), .optional = true,                                   \
        .offset = offsetof(struct kg_request, member)                                              \
    }
static const struct kg_field request_fields[] = {
    {.name = "task",
     .kind = KG_FIELD_ENUM,
     .offset = offsetof(struct kg_request, task),
     .names = task_names},
    {.name = "source",
     .kind = KG_FIELD_ENUM,
     .offset = offsetof(struct kg_request, source),
     .names = kg_source_names},
    REQUEST(target, KG_FIELD_STRING),
    {.name = "entry",
     .kind = KG_FIELD_STRING,
     .optional = true,
     .offset = offsetof(struct kg_request, entry)},
    {.name = "params",
     .kind = KG_FIELD_PAIRS,
     .offset = offsetof(struct kg_request, params),
     .count_offset = offsetof(struct kg_request, param_count)},
    {.name = "command",
     .kind = KG_FIELD_STRINGS,
     .optional = true,
     .offset = offsetof(struct kg_request, command),
     .count_offset = offsetof(struct kg_request, command_count)},
    REQUEST(device, KG_FIELD_SIZE),
    REQUEST(timing, KG_FIELD_SIZE),
    REQUEST(held_calls, KG_FIELD_COUNT),
    REQUEST_OPTIONAL(call_ns, KG_FIELD_REAL),
    REQUEST(threads, KG_FIELD_SIZE),
    REQUEST(seed, KG_FIELD_COUNT),
    REQUEST(memory_limit_bytes, KG_FIELD_COUNT),
    REQUEST(min_time_ns, KG_FIELD_REAL),
    REQUEST(batch, KG_FIELD_COUNT),
    REQUEST(turn_ns, KG_FIELD_REAL),
    {.name = "count_directory",
     .kind = KG_FIELD_STRING,
     .optional = true,
     .offset = offsetof(struct kg_request, count_directory)},
    {.name = "count_source",
     .kind = KG_FIELD_STRING,
     .optional = true,
     .offset = offsetof(struct kg_request, count_source)},
    REQUEST_OPTIONAL(count_lines, KG_FIELD_BOOL),
    {.name = "count_options",
     .kind = KG_FIELD_STRINGS,
     .optional = true,
     .offset = offsetof(struct kg_request, count_options),
     .count_offset = offsetof(struct kg_request, count_option_count)},
    {.name = "profile_path",
     .kind = KG_FIELD_STRING,
     .optional = true,
     .offset = offsetof(struct kg_request, profile_path)},
    {.name = "profile_label",
     .kind = KG_FIELD_STRING,
     .optional = true,
     .offset = offsetof(struct kg_request, profile_label)},
};
const struct kg_record kg_request_record = KG_RECORD_OF(struct kg_request, request_fields);

static const struct kg_field work_fields[] = {
    KG_FIELD(struct kg_case_work, items, KG_FIELD_REAL),
    KG_FIELD(struct kg_case_work, bytes, KG_FIELD_REAL),
    KG_FIELD(struct kg_case_work, flops, KG_FIELD_REAL),
    {.name = "arithmetic",
     .kind = KG_FIELD_STRING,
     .optional = true,
     .offset = offsetof(struct kg_case_work, arithmetic)},
};
static const struct kg_record work_record = KG_RECORD_OF(struct kg_case_work, work_fields);

static const struct kg_field reported_fields[] = {
    KG_FIELD(struct kg_reported, name, KG_FIELD_STRING),
    KG_FIELD(struct kg_reported, value, KG_FIELD_REAL),
};
static const struct kg_record reported_record = KG_RECORD_OF(struct kg_reported, reported_fields);

#define RESPONSE(member, field_kind) KG_FIELD(struct kg_response, member, field_kind)
#define RESPONSE_OPTIONAL(member, field_kind)                                                      \
    {                                                                                              \
        .name = #member, .kind = (field_kind), .optional = true,                                   \
        .offset = offsetof(struct kg_response, member)                                             \
    }
static const struct kg_field response_fields[] = {
    RESPONSE(good, KG_FIELD_BOOL),
    RESPONSE(unavailable, KG_FIELD_BOOL),
    RESPONSE(held_calls, KG_FIELD_COUNT),
    RESPONSE_OPTIONAL(call_ns, KG_FIELD_REAL),
    RESPONSE_OPTIONAL(note, KG_FIELD_STRING),
    RESPONSE_OPTIONAL(device_peak_bytes, KG_FIELD_REAL),
    RESPONSE_OPTIONAL(device_allocated_bytes, KG_FIELD_REAL),
    {.name = "trace",
     .kind = KG_FIELD_RECORD,
     .optional = true,
     .offset = offsetof(struct kg_response, trace),
     .record = &kg_trace_record},
    {.name = "ceilings",
     .kind = KG_FIELD_RECORD,
     .optional = true,
     .offset = offsetof(struct kg_response, ceilings),
     .record = &kg_ceilings_record},
    {.name = "cpu_ceilings",
     .kind = KG_FIELD_RECORD,
     .optional = true,
     .offset = offsetof(struct kg_response, cpu_ceilings),
     .record = &kg_cpu_ceilings_record},
    {.name = "message",
     .kind = KG_FIELD_STRING,
     .optional = true,
     .offset = offsetof(struct kg_response, message)},
    RESPONSE(timer_resolution_ns, KG_FIELD_REAL),
    RESPONSE(batch, KG_FIELD_COUNT),
    {.name = "check",
     .kind = KG_FIELD_RECORD,
     .offset = offsetof(struct kg_response, check),
     .record = &kg_case_check_record},
    {.name = "work",
     .kind = KG_FIELD_RECORD,
     .offset = offsetof(struct kg_response, work),
     .record = &work_record},
    RESPONSE(allocated_bytes, KG_FIELD_COUNT),
    RESPONSE(harness_bytes, KG_FIELD_COUNT),
    {.name = "rounds",
     .kind = KG_FIELD_RECORDS,
     .optional = true,
     .offset = offsetof(struct kg_response, rounds),
     .count_offset = offsetof(struct kg_response, round_count),
     .record = &kg_round_record},
    {.name = "reported",
     .kind = KG_FIELD_RECORDS,
     .optional = true,
     .offset = offsetof(struct kg_response, reported),
     .count_offset = offsetof(struct kg_response, reported_count),
     .record = &reported_record},
};
const struct kg_record kg_response_record = KG_RECORD_OF(struct kg_response, response_fields);
