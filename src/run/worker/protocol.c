#include "run/worker/protocol.h"

#include <math.h>
#include <string.h>

static const char *const task_names[] = {"check",   "round", "turns",    "count",
                                         "profile", "trace", "ceilings", "cpu_ceilings",
                                         "list",    "open",  NULL};

#define STRUCT kg_output_figure
static const struct kg_field figure_fields[] = {
    KG_FIELD(name, STRING, NULL),
    KG_FIELD(json, STRING, NULL, KG_OPTIONAL),
    KG_FIELD(regex, STRING, NULL, KG_OPTIONAL),
    KG_FIELD(file, STRING, NULL, KG_OPTIONAL),
    KG_FIELD(scale, REAL, NULL),
};
static const struct kg_record figure_record = KG_RECORD_OF(figure_fields, NULL);
#undef STRUCT

#define STRUCT kg_request
static const struct kg_field request_fields[] = {
    KG_FIELD(task, ENUM, NULL, KG_NAMES(task_names)),
    KG_FIELD(source, ENUM, NULL, KG_NAMES(kg_source_names)),
    KG_FIELD(target, STRING, NULL),
    KG_FIELD(entry, STRING, NULL, KG_OPTIONAL),
    KG_FIELD(entry_given, BOOL, NULL, KG_OPTIONAL),
    KG_LIST(params, param_count, PAIRS, NULL),
    KG_LIST(command, command_count, STRINGS, NULL, KG_OPTIONAL),
    KG_LIST_AS("environment", setting.environment, setting.environment_count, PAIRS, NULL,
               KG_OPTIONAL),
    KG_FIELD_AS("format", setting.format, STRING, NULL, KG_OPTIONAL),
    KG_FIELD_AS("directory", setting.directory, STRING, NULL, KG_OPTIONAL),
    KG_FIELD_AS("input", setting.input, STRING, NULL, KG_OPTIONAL),
    KG_LIST_AS("setup", setting.setup, setting.setup_count, STRINGS, NULL, KG_OPTIONAL),
    KG_LIST_AS("cleanup", setting.cleanup, setting.cleanup_count, STRINGS, NULL, KG_OPTIONAL),
    KG_LIST_AS("figures", setting.figures, setting.figure_count, RECORDS, NULL, KG_OPTIONAL,
               KG_OF(figure_record)),
    KG_LIST_AS("exit_codes", setting.exit_codes, setting.exit_code_count, REALS, NULL, KG_OPTIONAL),
    KG_LIST(calls, call_count, RECORDS, NULL, KG_OPTIONAL, KG_OF(kg_cuda_call_record)),
    KG_FIELD(architecture, STRING, NULL, KG_OPTIONAL),
    KG_FIELD(device, SIZE, NULL),
    KG_FIELD(timing, SIZE, NULL),
    KG_FIELD(held_calls, COUNT, NULL),
    KG_FIELD(call_ns, REAL, NULL, KG_OPTIONAL),
    KG_FIELD(threads, SIZE, NULL),
    KG_FIELD(seed, COUNT, NULL),
    KG_FIELD(check_seed, COUNT, NULL, KG_OPTIONAL),
    KG_FIELD(check_after, BOOL, NULL, KG_OPTIONAL),
    KG_FIELD(memory_limit_bytes, COUNT, NULL),
    KG_FIELD(min_time_ns, REAL, NULL, KG_NULLABLE),
    KG_FIELD(iterations, COUNT, NULL, KG_OPTIONAL),
    KG_FIELD(warm_calls, COUNT, NULL, KG_OPTIONAL),
    KG_FIELD(cold, BOOL, NULL, KG_OPTIONAL),
    KG_FIELD(metrics, BITS, NULL, KG_OPTIONAL, KG_NAMES(kg_metric_kind_names)),
    KG_FIELD(batch, COUNT, NULL),
    KG_FIELD(turn_ns, REAL, NULL, KG_NULLABLE),
    KG_FIELD(turn_calls, COUNT, NULL, KG_OPTIONAL),
    KG_FIELD(count_directory, STRING, NULL, KG_OPTIONAL),
    KG_FIELD(count_source, STRING, NULL, KG_OPTIONAL),
    KG_FIELD(count_lines, BOOL, NULL, KG_OPTIONAL),
    KG_FIELD(count_core, BOOL, NULL, KG_OPTIONAL),
    KG_LIST(count_options, count_option_count, STRINGS, NULL, KG_OPTIONAL),
    KG_FIELD(count_time_ns, REAL, NULL, KG_OPTIONAL),
    KG_FIELD(count_cold, BOOL, NULL, KG_OPTIONAL),
    KG_FIELD(flush_denormals, BOOL, NULL, KG_OPTIONAL),
    KG_FIELD(huge_pages, BOOL, NULL, KG_OPTIONAL),
    KG_FIELD(profile_path, STRING, NULL, KG_OPTIONAL),
    KG_FIELD(profile_label, STRING, NULL, KG_OPTIONAL),
};
const struct kg_record kg_request_record = KG_RECORD_OF(request_fields, NULL);
#undef STRUCT

#define STRUCT kg_case_work
static const struct kg_field work_fields[] = {
    KG_FIELD(items, REAL, NULL, KG_NULLABLE, KG_FROM_0),
    KG_FIELD(bytes, REAL, NULL, KG_NULLABLE, KG_FROM_0),
    KG_FIELD(flops, REAL, NULL, KG_NULLABLE, KG_FROM_0),
    KG_FIELD(arithmetic, STRING, NULL, KG_OPTIONAL,
             KG_WORDS(KG_ARITHMETIC_F32, KG_ARITHMETIC_BF16_TENSOR)),
    KG_FIELD(written_bytes, REAL, NULL, KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(item_name, STRING, NULL, KG_OPTIONAL),
};
static const struct kg_record work_record = KG_RECORD_OF(work_fields, NULL);
#undef STRUCT

#define STRUCT kg_reported
static const struct kg_field reported_fields[] = {
    KG_FIELD(name, STRING, NULL),
    KG_FIELD(value, REAL, NULL, KG_NULLABLE),
};
static const struct kg_record reported_record = KG_RECORD_OF(reported_fields, NULL);
#undef STRUCT

#define STRUCT kg_reading
static const struct kg_field reading_fields[] = {
    KG_FIELD(metric, ENUM, NULL, KG_NAMES(kg_metric_kind_names)),
    KG_FIELD(source, STRING, NULL, KG_WORDS("powercap", "nvml", KG_SERIES_OF_NOTHING)),
    KG_FIELD(value, REAL, NULL, KG_NULLABLE),
    KG_FIELD(reason, STRING, NULL, KG_OPTIONAL),
};
static const struct kg_record reading_record = KG_RECORD_OF(reading_fields, NULL);
#undef STRUCT

#define STRUCT kg_response
static const struct kg_field response_fields[] = {
    KG_FIELD(good, BOOL, NULL),
    KG_FIELD(unavailable, BOOL, NULL),
    KG_FIELD(last, BOOL, NULL, KG_OPTIONAL),
    KG_FIELD(held_calls, COUNT, NULL),
    KG_FIELD(call_ns, REAL, NULL, KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(note, STRING, NULL, KG_OPTIONAL),
    KG_FIELD(device_peak_bytes, REAL, NULL, KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(device_allocated_bytes, REAL, NULL, KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(trace, RECORD, NULL, KG_OPTIONAL, KG_OF(kg_trace_record)),
    KG_FIELD(ceilings, RECORD, NULL, KG_OPTIONAL, KG_OF(kg_ceilings_record)),
    KG_FIELD(cpu_ceilings, RECORD, NULL, KG_OPTIONAL, KG_OF(kg_cpu_ceilings_record)),
    KG_FIELD(message, STRING, NULL, KG_OPTIONAL),
    KG_FIELD(timer_resolution_ns, REAL, NULL, KG_NULLABLE, KG_BETWEEN(0, 1e9)),
    KG_FIELD(batch, COUNT, NULL),
    KG_FIELD(code_hash, STRING, NULL, KG_OPTIONAL),
    KG_FIELD(check, RECORD, NULL, KG_OF(kg_case_check_record)),
    KG_FIELD(check_ns, REAL, NULL, KG_OPTIONAL),
    KG_FIELD(work, RECORD, NULL, KG_OF(work_record)),
    KG_FIELD(allocated_bytes, COUNT, NULL),
    KG_FIELD(harness_bytes, COUNT, NULL),
    KG_FIELD(malloc_used_bytes, REAL, NULL, KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(malloc_cached_bytes, REAL, NULL, KG_OPTIONAL, KG_FROM_0),
    KG_LIST(rounds, round_count, RECORDS, NULL, KG_OPTIONAL, KG_OF(kg_round_record)),
    KG_LIST(reported, reported_count, RECORDS, NULL, KG_OPTIONAL, KG_OF(reported_record)),
    KG_LIST(names, name_count, STRINGS, NULL, KG_OPTIONAL),
    KG_LIST(readings, reading_count, RECORDS, NULL, KG_OPTIONAL, KG_OF(reading_record)),
};
const struct kg_record kg_response_record = KG_RECORD_OF(response_fields, NULL);
#undef STRUCT

double kg_reported_find(const struct kg_response *response, const char *name)
{
    for (size_t i = 0; i < response->reported_count; i++)
        if (!strcmp(response->reported[i].name, name))
            return response->reported[i].value;
    return NAN;
}
