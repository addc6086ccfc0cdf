#include "results/results.h"

#include <string.h>

#include "results/journal.h"
#include "results/results_validate.h"
#include "util/file.h"
#include "util/text.h"

const char *const kg_status_names[5] = {"OK", "FAILED", "SKIPPED", "UNMEASURED", NULL};

#define FIELD(member, field_kind) KG_FIELD(struct RECORD, member, field_kind)
#define OPTIONAL(member, field_kind)                                                               \
    {                                                                                              \
        .name = #member, .kind = (field_kind), .optional = true,                                   \
        .offset = offsetof(struct RECORD, member)                                                  \
    }
#define LIST(member, count, field_kind)                                                            \
    {                                                                                              \
        .name = #member, .kind = (field_kind), .offset = offsetof(struct RECORD, member),          \
        .count_offset = offsetof(struct RECORD, count)                                             \
    }
#define INNER(member, table)                                                                       \
    {                                                                                              \
        .name = #member, .kind = KG_FIELD_RECORD, .offset = offsetof(struct RECORD, member),       \
        .record = &(table)                                                                         \
    }
#define OPTIONAL_INNER(member, table)                                                              \
    {                                                                                              \
        .name = #member, .kind = KG_FIELD_RECORD, .optional = true,                                \
        .offset = offsetof(struct RECORD, member), .record = &(table)                              \
    }
#define INNERS(member, count, field_kind, table)                                                   \
    {                                                                                              \
        .name = #member, .kind = (field_kind), .offset = offsetof(struct RECORD, member),          \
        .count_offset = offsetof(struct RECORD, count), .record = &(table)                         \
    }

#define OPTIONAL_INNERS(member, count, field_kind, table)                                          \
    {                                                                                              \
        .name = #member, .kind = (field_kind), .optional = true,                                   \
        .offset = offsetof(struct RECORD, member), .count_offset = offsetof(struct RECORD, count), \
        .record = &(table)                                                                         \
    }

#define RECORD kg_round
static const struct kg_field round_fields[] = {
    FIELD(median_ns, KG_FIELD_REAL),
    FIELD(mean_ns, KG_FIELD_REAL),
    FIELD(min_ns, KG_FIELD_REAL),
    FIELD(max_ns, KG_FIELD_REAL),
    FIELD(p95_ns, KG_FIELD_REAL),
    FIELD(cpu_ns, KG_FIELD_REAL),
    FIELD(wall_ns, KG_FIELD_REAL),
    FIELD(warm_up_ns, KG_FIELD_REAL),
    OPTIONAL(pulse_ns, KG_FIELD_REAL),
    FIELD(calls, KG_FIELD_COUNT),
    FIELD(batch, KG_FIELD_COUNT),
    OPTIONAL(confirms, KG_FIELD_BOOL),
    OPTIONAL(base_ratio, KG_FIELD_REAL),
    OPTIONAL(call_ns, KG_FIELD_REAL),
    OPTIONAL(launch_ns, KG_FIELD_REAL),
    OPTIONAL(median_cycles, KG_FIELD_REAL),
    OPTIONAL(sm_clock_hz, KG_FIELD_REAL),
    OPTIONAL(memory_clock_hz, KG_FIELD_REAL),
    OPTIONAL(temperature_c, KG_FIELD_REAL),
    OPTIONAL(power_w, KG_FIELD_REAL),
    OPTIONAL(utilization, KG_FIELD_REAL),
    OPTIONAL(other_processes, KG_FIELD_REAL),
    OPTIONAL(throttle, KG_FIELD_REAL),
    OPTIONAL(throttled, KG_FIELD_BOOL),
    FIELD(peak_bytes, KG_FIELD_COUNT),
    FIELD(voluntary_switches, KG_FIELD_COUNT),
    FIELD(involuntary_switches, KG_FIELD_COUNT),
    FIELD(minor_faults, KG_FIELD_COUNT),
    FIELD(major_faults, KG_FIELD_COUNT),
    LIST(samples_ns, sample_count, KG_FIELD_REALS),
    FIELD(samples_dropped, KG_FIELD_COUNT),
};
const struct kg_record kg_round_record = KG_RECORD_OF(struct kg_round, round_fields);
#undef RECORD

#define RECORD kg_summary
static const struct kg_field summary_fields[] = {
    OPTIONAL(median_ns, KG_FIELD_REAL),
    OPTIONAL(mean_ns, KG_FIELD_REAL),
    OPTIONAL(standard_deviation_ns, KG_FIELD_REAL),
    OPTIONAL(min_ns, KG_FIELD_REAL),
    OPTIONAL(max_ns, KG_FIELD_REAL),
    OPTIONAL(p95_ns, KG_FIELD_REAL),
    OPTIONAL(interval_low_ns, KG_FIELD_REAL),
    OPTIONAL(interval_high_ns, KG_FIELD_REAL),
};
static const struct kg_record summary_record = KG_RECORD_OF(struct kg_summary, summary_fields);
#undef RECORD

#define RECORD kg_breakdown
static const struct kg_field breakdown_fields[] = {
    OPTIONAL(wall_ns, KG_FIELD_REAL),     OPTIONAL(gpu_ns, KG_FIELD_REAL),
    OPTIONAL(cpu_ns, KG_FIELD_REAL),      OPTIONAL(transfer_ns, KG_FIELD_REAL),
    OPTIONAL(overhead_ns, KG_FIELD_REAL),
};
static const struct kg_record breakdown_record =
    KG_RECORD_OF(struct kg_breakdown, breakdown_fields);
#undef RECORD

#define RECORD kg_memory
static const struct kg_field memory_fields[] = {
    FIELD(peak_bytes, KG_FIELD_COUNT),
    FIELD(allocated_bytes, KG_FIELD_COUNT),
    FIELD(harness_bytes, KG_FIELD_COUNT),
    OPTIONAL(device_peak_bytes, KG_FIELD_REAL),
    OPTIONAL(device_allocated_bytes, KG_FIELD_REAL),
    OPTIONAL(device_cached_bytes, KG_FIELD_REAL),
};
static const struct kg_record memory_record = KG_RECORD_OF(struct kg_memory, memory_fields);
#undef RECORD

#define RECORD kg_case_work
static const struct kg_field work_fields[] = {
    OPTIONAL(items, KG_FIELD_REAL),
    OPTIONAL(bytes, KG_FIELD_REAL),
    OPTIONAL(flops, KG_FIELD_REAL),
    OPTIONAL(items_per_second, KG_FIELD_REAL),
    OPTIONAL(bytes_per_second, KG_FIELD_REAL),
    OPTIONAL(flops_per_second, KG_FIELD_REAL),
    OPTIONAL(bandwidth_share, KG_FIELD_REAL),
    OPTIONAL(fma_share, KG_FIELD_REAL),
    OPTIONAL(tensor_share, KG_FIELD_REAL),
    OPTIONAL(arithmetic, KG_FIELD_STRING),
};
static const struct kg_record work_record = KG_RECORD_OF(struct kg_case_work, work_fields);
#undef RECORD

#define RECORD kg_case_check
static const struct kg_field check_fields[] = {
    FIELD(checked, KG_FIELD_BOOL),
    OPTIONAL(error, KG_FIELD_REAL),
    OPTIONAL(tolerance, KG_FIELD_REAL),
};
const struct kg_record kg_case_check_record = KG_RECORD_OF(struct kg_case_check, check_fields);
#undef RECORD

#define RECORD kg_kernel_use
static const struct kg_field kernel_fields[] = {
    FIELD(name, KG_FIELD_STRING),         OPTIONAL(launches, KG_FIELD_REAL),
    OPTIONAL(blocks, KG_FIELD_REAL),      OPTIONAL(threads, KG_FIELD_REAL),
    OPTIONAL(registers, KG_FIELD_REAL),   OPTIONAL(shared_bytes, KG_FIELD_REAL),
    OPTIONAL(local_bytes, KG_FIELD_REAL), OPTIONAL(occupancy, KG_FIELD_REAL),
    OPTIONAL(waves, KG_FIELD_REAL),       OPTIONAL(gpu_ns, KG_FIELD_REAL),
};
static const struct kg_record kernel_record = KG_RECORD_OF(struct kg_kernel_use, kernel_fields);
#undef RECORD

#define RECORD kg_trace
static const struct kg_field trace_fields[] = {
    OPTIONAL(source, KG_FIELD_STRING),
    OPTIONAL(reason, KG_FIELD_STRING),
    OPTIONAL(launches, KG_FIELD_REAL),
    OPTIONAL(kernel_ns, KG_FIELD_REAL),
    OPTIONAL(transfer_ns, KG_FIELD_REAL),
    OPTIONAL(hidden_ns, KG_FIELD_REAL),
    OPTIONAL(other_ns, KG_FIELD_REAL),
    OPTIONAL(gap_ns, KG_FIELD_REAL),
    OPTIONAL(to_device_bytes, KG_FIELD_REAL),
    OPTIONAL(to_host_bytes, KG_FIELD_REAL),
    OPTIONAL(pageable_bytes, KG_FIELD_REAL),
    OPTIONAL_INNERS(kernels, kernel_count, KG_FIELD_RECORDS, kernel_record),
};
const struct kg_record kg_trace_record = KG_RECORD_OF(struct kg_trace, trace_fields);
#undef RECORD

#define RECORD kg_look
static const struct kg_field look_fields[] = {
    OPTIONAL(alone_ns, KG_FIELD_REAL),   OPTIONAL(instructions, KG_FIELD_REAL),
    OPTIONAL(line_bytes, KG_FIELD_REAL), OPTIONAL(memory_line_bytes, KG_FIELD_REAL),
    OPTIONAL(source, KG_FIELD_STRING),   OPTIONAL(reason, KG_FIELD_STRING),
};
const struct kg_record kg_look_record = KG_RECORD_OF(struct kg_look, look_fields);
#undef RECORD

#define RECORD kg_limit
static const struct kg_field limit_fields[] = {
    FIELD(metric, KG_FIELD_STRING),
    FIELD(relation, KG_FIELD_STRING),
    FIELD(limit, KG_FIELD_REAL),
};
static const struct kg_record limit_record = KG_RECORD_OF(struct kg_limit, limit_fields);
#undef RECORD

#define RECORD kg_counter
static const struct kg_field counter_fields[] = {
    FIELD(name, KG_FIELD_STRING),
    FIELD(source, KG_FIELD_STRING),
    {.name = "better",
     .kind = KG_FIELD_ENUM,
     .offset = offsetof(struct kg_counter, better),
     .names = kg_better_names},
    OPTIONAL(threshold, KG_FIELD_REAL),
    LIST(values, value_count, KG_FIELD_REALS),
    OPTIONAL(reason, KG_FIELD_STRING),
};
static const struct kg_record counter_record = KG_RECORD_OF(struct kg_counter, counter_fields);
#undef RECORD

#define RECORD kg_probe_reading
static const struct kg_field probe_fields[] = {
    FIELD(at_ns, KG_FIELD_REAL),
    FIELD(pulse_ns, KG_FIELD_REAL),
    FIELD(bandwidth_bytes_per_s, KG_FIELD_REAL),
    FIELD(latency_ns, KG_FIELD_REAL),
};
static const struct kg_record probe_record = KG_RECORD_OF(struct kg_probe_reading, probe_fields);
#undef RECORD

#define RECORD kg_case_result
static const struct kg_field case_fields[] = {
    FIELD(id, KG_FIELD_STRING),
    FIELD(workload, KG_FIELD_STRING),
    FIELD(source, KG_FIELD_STRING),
    OPTIONAL(target, KG_FIELD_STRING),
    LIST(params, param_count, KG_FIELD_PAIRS),
    OPTIONAL(threads, KG_FIELD_COUNT),
    FIELD(device, KG_FIELD_STRING),
    FIELD(backend, KG_FIELD_STRING),
    FIELD(definition_hash, KG_FIELD_STRING),
    OPTIONAL(timing, KG_FIELD_STRING),
    OPTIONAL(code_hash, KG_FIELD_STRING),
    LIST(tags, tag_count, KG_FIELD_STRINGS),
    {.name = "status",
     .kind = KG_FIELD_ENUM,
     .offset = offsetof(struct kg_case_result, status),
     .names = kg_status_names},
    OPTIONAL(reason, KG_FIELD_STRING),
    OPTIONAL(note, KG_FIELD_STRING),
    OPTIONAL(stderr_tail, KG_FIELD_STRING),
    FIELD(threshold, KG_FIELD_REAL),
    FIELD(min_effect_ns, KG_FIELD_REAL),
    FIELD(memory_threshold, KG_FIELD_REAL),
    FIELD(min_memory_effect_bytes, KG_FIELD_COUNT),
    {.name = "metrics",
     .kind = KG_FIELD_BITS,
     .optional = true,
     .offset = offsetof(struct kg_case_result, metrics),
     .names = kg_metric_kind_names},
    INNERS(budgets, budget_count, KG_FIELD_RECORDS, limit_record),
    INNERS(rounds, round_count, KG_FIELD_COLUMNS, kg_round_record),
    INNER(summary, summary_record),
    INNER(breakdown, breakdown_record),
    INNER(memory, memory_record),
    INNER(work, work_record),
    INNER(check, kg_case_check_record),
    OPTIONAL_INNER(trace, kg_trace_record),
    OPTIONAL_INNER(look, kg_look_record),
    OPTIONAL_INNERS(counters, counter_count, KG_FIELD_RECORDS, counter_record),
};
const struct kg_record kg_case_result_record = KG_RECORD_OF(struct kg_case_result, case_fields);
#undef RECORD

#define RECORD kg_results_policy
static const struct kg_field policy_fields[] = {
    {.name = "fail_on",
     .kind = KG_FIELD_BITS,
     .offset = offsetof(struct kg_results_policy, fail_on),
     .names = kg_change_names},
    {.name = "missing_device",
     .kind = KG_FIELD_ENUM,
     .offset = offsetof(struct kg_results_policy, missing_device),
     .names = kg_missing_device_names},
    FIELD(alpha, KG_FIELD_REAL),
};
const struct kg_record kg_results_policy_record =
    KG_RECORD_OF(struct kg_results_policy, policy_fields);
#undef RECORD

#define RECORD kg_results
static const struct kg_field results_fields[] = {
    FIELD(created, KG_FIELD_STRING),
    FIELD(kgate_version, KG_FIELD_STRING),
    FIELD(suite, KG_FIELD_STRING),
    FIELD(suite_path, KG_FIELD_STRING),
    INNER(policy, kg_results_policy_record),
    FIELD(complete, KG_FIELD_BOOL),
    OPTIONAL(filter, KG_FIELD_STRING),
    INNER(machine, kg_machine_record),
    OPTIONAL(sequential, KG_FIELD_BOOL),
    OPTIONAL(pair, KG_FIELD_STRING),
    OPTIONAL(profile, KG_FIELD_STRING),
    OPTIONAL_INNERS(probes, probe_count, KG_FIELD_COLUMNS, probe_record),
    FIELD(timer_resolution_ns, KG_FIELD_REAL),
    OPTIONAL_INNER(ceilings, kg_ceilings_record),
    OPTIONAL_INNER(cpu_ceilings, kg_cpu_ceilings_record),
    OPTIONAL_INNER(suggest, kg_suggest_settings_record),
    FIELD(measured_ns, KG_FIELD_REAL),
    FIELD(elapsed_ns, KG_FIELD_REAL),
    INNERS(cases, case_count, KG_FIELD_RECORDS, kg_case_result_record),
};
const struct kg_record kg_results_record = KG_RECORD_OF(struct kg_results, results_fields);
#undef RECORD

bool kg_results_write(const struct kg_results *results, const char *path, struct kg_error *err)
{
    return kg_record_save(&kg_results_record, results, KG_RESULTS_SCHEMA, path, err);
}

static bool is_journal(const struct kg_text *text)
{
    static const char mark[] = "{\"schema\": \"" KG_JOURNAL_SCHEMA "\"";
    return text->length >= sizeof mark - 1 && !memcmp(text->data, mark, sizeof mark - 1);
}

bool kg_results_load(const char *path, struct kg_results *results, struct kg_error *err)
{
    struct kg_text text = {0};
    *results = (struct kg_results){0};
    bool good = kg_file_read(path, (size_t)1 << 30, &text, err);
    if (good && is_journal(&text))
        good = kg_journal_parse(path, text.data, text.length, results, err);
    else if (good)
        good = kg_record_parse(&kg_results_record, KG_RESULTS_SCHEMA, path, kg_text_string(&text),
                               text.length, &results->arena, results, err);
    kg_text_free(&text);
    if (good && kg_results_validate(results, err))
        return true;
    if (!err->path[0] && err->kind == KG_ERROR_USAGE && !strstr(err->message, path))
        kg_error_wrap(err, "%s", path);
    kg_results_free(results);
    return false;
}

void kg_results_free(struct kg_results *results)
{
    kg_arena_free(&results->arena);
    *results = (struct kg_results){0};
}
