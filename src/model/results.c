#include "model/results.h"

#include <stddef.h>

#include "model/code_fields.h"

const char *const kg_status_names[6] = {"OK", "FAILED", "SKIPPED", "UNMEASURED", "UNCHANGED", NULL};

#define STRUCT kg_summary
static const struct kg_field summary_fields[] = {
    KG_FIELD(median_ns, REAL, "median of round medians", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(mean_ns, REAL, "mean of round medians", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(standard_deviation_ns, REAL, "between round medians", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(min_ns, REAL, "least of all samples", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(max_ns, REAL, "greatest of all samples", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(p95_ns, REAL,
             "95th percentile: of all samples where all are kept, else the median of the rounds'",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(interval_low_ns, REAL, "95 % interval of the median", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(interval_high_ns, REAL, "95 % interval of the median", KG_OPTIONAL, KG_FROM_0),
};
static const struct kg_record summary_record =
    KG_RECORD_OF(summary_fields, "Over the rounds; empty without one.");
#undef STRUCT

#define STRUCT kg_breakdown
static const struct kg_field breakdown_fields[] = {
    KG_FIELD(wall_ns, REAL, "in all", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(gpu_ns, REAL, "on the GPU", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(cpu_ns, REAL, "CPU time of all threads", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(transfer_ns, REAL, "moving data", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(overhead_ns, REAL, "of reading the clock", KG_OPTIONAL, KG_FROM_0),
};
static const struct kg_record breakdown_record =
    KG_RECORD_OF(breakdown_fields, "Where a call's time goes, ns; what is not known is left out.");
#undef STRUCT

#define STRUCT kg_memory
static const struct kg_field memory_fields[] = {
    KG_FIELD(peak_bytes, COUNT, "median over rounds of resident memory beyond the harness's"),
    KG_FIELD(allocated_bytes, COUNT, "asked of kgate's allocator, at its peak"),
    KG_FIELD(harness_bytes, COUNT, "resident before the workload was set up"),
    KG_FIELD(device_peak_bytes, REAL, "GPU: less free than before set-up, at the most", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(device_allocated_bytes, REAL,
             "GPU: by the allocator that workloads are handed, at its peak", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(device_cached_bytes, REAL, "GPU: what the peak has beyond that", KG_OPTIONAL,
             KG_FROM_0),
};
static const struct kg_record memory_record =
    KG_RECORD_OF(memory_fields, "Memory of the worker process.");
#undef STRUCT

#define STRUCT kg_case_work
static const struct kg_field work_fields[] = {
    KG_FIELD(items, REAL, "items processed", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(bytes, REAL, "bytes moved", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(flops, REAL, "floating-point operations", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(items_per_second, REAL, "items per second", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(bytes_per_second, REAL, "bytes per second", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(flops_per_second, REAL, "flops per second", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(
        bandwidth_share, REAL,
        "of the measured ceiling of copying and reading, by what is written; of the faster of the "
        "two where that is not known",
        KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(fma_share, REAL, "of the measured ceiling of multiply-adds", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(tensor_share, REAL, "of the measured ceiling of tensor cores", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(arithmetic, STRING, "what does the floating-point operations", KG_OPTIONAL,
             KG_WORDS("f32", "bf16_tensor")),
    KG_FIELD(written_bytes, REAL, "of the bytes moved, those that are written", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(item_name, STRING, "what the items are: vectors, tokens", KG_OPTIONAL, KG_NOT_EMPTY),
};
static const struct kg_record work_record =
    KG_RECORD_OF(work_fields, "What one call does and how fast; what is not known is left out.");
#undef STRUCT

#define STRUCT kg_look
static const struct kg_field look_fields[] = {
    KG_FIELD(alone_ns, REAL, "its time with one thread, of what may use more", KG_OPTIONAL,
             KG_ABOVE_0),
    KG_FIELD(instructions, REAL, "of all threads", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(line_bytes, REAL, "of cache lines that came into the first level", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(memory_line_bytes, REAL,
             "of those that came from memory, and of written ones that went there", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(source, STRING, "who counted the latter three", KG_OPTIONAL,
             KG_WORDS("perf", "callgrind")),
    KG_FIELD(reason, STRING, "what could not be seen and why", KG_OPTIONAL),
};
const struct kg_record kg_look_record =
    KG_RECORD_OF(look_fields, "CPU: what is seen of a call apart from the timed rounds.");
#undef STRUCT

#define STRUCT kg_limit
static const struct kg_field limit_fields[] = {
    KG_FIELD(metric, STRING,
             "time, peak_memory, items_per_second, bytes_per_second, flops_per_second, "
             "speedup_over_cpu, or the name of one of the workload's counters",
             KG_NOT_EMPTY),
    KG_FIELD(relation, STRING, "at least or at most", KG_WORDS(">=", "<=")),
    KG_FIELD(limit, REAL, "ns, bytes, 1/s or a plain number", KG_ABOVE_0),
};
static const struct kg_record limit_record = KG_RECORD_OF(limit_fields, "A limit of the suite.");
#undef STRUCT

#define STRUCT kg_series
static const struct kg_field series_fields[] = {
    KG_FIELD(name, STRING, "of a metric, as the workload reports it, or what CUPTI counted"),
    KG_FIELD(
        source, STRING, "who counted: `rounds` where the values are figures of the rounds",
        KG_WORDS("rounds", "workload", "perf", "callgrind", "none", "cupti", "powercap", "nvml")),
    KG_FIELD(unit, STRING,
             "of a workload's figure that has one; else that of the metric, or a number",
             KG_OPTIONAL, KG_WORDS("ns", "bytes", "J")),
    KG_FIELD(better, ENUM,
             "which way is better; of a workload's figure without a threshold it says nothing",
             KG_NAMES(kg_better_names)),
    KG_FIELD(threshold, REAL,
             "the smallest relative change that counts; absent where nobody judges it, such as a "
             "figure that the suite does not name",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(min_effect, REAL, "the smallest absolute change that counts, in the metric's unit",
             KG_OPTIONAL, KG_FROM_0),
    KG_LIST(values, value_count, REALS,
            "one for each round; of instructions one for each counting process; absent where the "
            "source is `rounds`",
            KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(reason, STRING, "why there are no values", KG_OPTIONAL),
};
static const struct kg_record series_record = KG_RECORD_OF(series_fields, "A metric of a case.");
#undef STRUCT

#define STRUCT kg_probe_reading
static const struct kg_field probe_fields[] = {
    KG_FIELD(at_ns, REAL, "since the run began", KG_NULLABLE),
    KG_FIELD(pulse_ns, REAL, "the core's pace", KG_NULLABLE),
    KG_FIELD(bandwidth_bytes_per_s, REAL, "reading memory", KG_NULLABLE),
    KG_FIELD(latency_ns, REAL, "of a load that depends on the one before", KG_NULLABLE),
};
static const struct kg_record probe_record =
    KG_RECORD_OF(probe_fields, "Readings of the probe between rounds, by column.");
#undef STRUCT

#define STRUCT kg_measured_file
static const struct kg_field file_fields[] = {
    KG_FIELD(hash, STRING, "SHA-256 of its bytes", KG_PATTERN_SHA256),
    KG_FIELD(path, STRING, "absolute", KG_NOT_EMPTY),
};
static const struct kg_record file_record = KG_RECORD_OF(
    file_fields, "A file whose code was measured: a plugin, the program of a command, or kgate.");
#undef STRUCT

#define STRUCT kg_case_result
static const struct kg_field case_fields[] = {
    KG_FIELD(id, STRING, "workload/key=value,…/device", KG_NOT_EMPTY),
    KG_FIELD(workload, STRING, "its name in the suite"),
    KG_FIELD(line, SIZE, "of the suite, on which the workload is named", KG_OPTIONAL,
             KG_UNKNOWN_IF_0),
    KG_FIELD(source, STRING, "how the suite brings the workload", KG_NAMES(kg_source_names)),
    KG_FIELD(target, STRING, "the kernel, PLUGIN:ENTRY, or a program", KG_OPTIONAL),
    KG_LIST(params, param_count, PAIRS, "parameters in the suite's order"),
    KG_FIELD(threads, COUNT, "that it may use; absent or 0: not known", KG_OPTIONAL),
    KG_FIELD(threads_said, BOOL, "the suite or `OMP_NUM_THREADS` says so many", KG_OPTIONAL),
    KG_FIELD(device, STRING, "where it runs", KG_WORDS("cpu", "cuda")),
    KG_FIELD(backend, STRING, "what runs it", KG_NAMES(kg_backend_names)),
    KG_FIELD(definition_hash, STRING,
             "what is measured; results of another definition are never compared", KG_PATTERN_HASH),
    KG_FIELD(timing, STRING, "what of a call on the GPU is timed", KG_OPTIONAL,
             KG_NAMES(kg_timing_names)),
    KG_CODE_FIELDS,
    KG_FIELD(same_as_base, BOOL,
             "of a pair: code, libraries and command are the base's, and nothing else decides",
             KG_OPTIONAL),
    KG_FIELD(build, STRING, "of the file in `files` that holds its code", KG_OPTIONAL,
             KG_PATTERN_SHA256),
    KG_LIST(tags, tag_count, STRINGS, "of the suite"),
    KG_LIST(own_variables, own_variable_count, STRINGS,
            "of those that `environment` may have, what the case does not get from the caller: the "
            "suite "
            "sets it, or kgate",
            KG_OPTIONAL),
    KG_FIELD(reference, BOOL, "a version that others are compared with, kept on purpose",
             KG_OPTIONAL),
    KG_FIELD(status, ENUM, "whether it was measured", KG_NAMES(kg_status_names)),
    KG_FIELD(reason, STRING, "why not OK", KG_OPTIONAL),
    KG_FIELD(note, STRING, "what speaks against its figures", KG_OPTIONAL),
    KG_FIELD(stderr_tail, STRING, "the last it wrote to standard error", KG_OPTIONAL),
    KG_FIELD(unpaired, BOOL,
             "paired rounds: the case is SKIPPED because the base could not be measured",
             KG_OPTIONAL),
    KG_FIELD(disturbance_limit, REAL,
             "the disturbance of a round above which another is measured for it", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(metrics, BITS, "what is compared", KG_OPTIONAL, KG_NAMES(kg_metric_kind_names)),
    KG_FIELD(
        unasked_metrics, BITS,
        "compared metrics that the suite does not name, except time: they leave no case undecided",
        KG_OPTIONAL, KG_NAMES(kg_metric_kind_names)),
    KG_LIST(series, series_count, RECORDS, "what is known of it, by metric", KG_OF(series_record)),
    KG_LIST(budgets, budget_count, RECORDS, "absolute limits; a range is two of one metric",
            KG_OF(limit_record)),
    KG_FIELD(
        round_ns, REAL,
        "measured time of its latest rounds, where it was chosen by what the first ones showed; "
        "else that of the suite, `min_time`",
        KG_OPTIONAL, KG_FROM_0),
    KG_LIST(rounds, round_count, COLUMNS, NULL, KG_OF(kg_round_record)),
    KG_FIELD(summary, RECORD, NULL, KG_OF(summary_record)),
    KG_FIELD(breakdown, RECORD, NULL, KG_OF(breakdown_record)),
    KG_FIELD(memory, RECORD, NULL, KG_OF(memory_record)),
    KG_FIELD(work, RECORD, NULL, KG_OF(work_record)),
    KG_FIELD(check, RECORD, NULL, KG_OF(kg_case_check_record)),
    KG_FIELD(trace, RECORD, NULL, KG_OPTIONAL, KG_OF(kg_trace_record)),
    KG_FIELD(look, RECORD, NULL, KG_OPTIONAL, KG_OF(kg_look_record)),
    KG_FIELD(hot, RECORD, NULL, KG_OPTIONAL, KG_OF(kg_hot_record)),
};
const struct kg_record kg_case_result_record = KG_RECORD_OF(case_fields, "One case.");
#undef STRUCT

#define STRUCT kg_results_policy
static const struct kg_field policy_fields[] = {
    KG_FIELD(fail_on, BITS, "changes that fail the gate", KG_NAMES(kg_change_names)),
    KG_FIELD(missing_device, ENUM, "what a case without its device does",
             KG_NAMES(kg_missing_device_names)),
    KG_FIELD(undecided, ENUM, "what becomes of a gate that decided nothing", KG_OPTIONAL,
             KG_NAMES(kg_undecided_names)),
    KG_FIELD(alpha, REAL, "false alarms allowed for the whole suite", KG_INSIDE(0, 1)),
    KG_FIELD(reports, BITS, "what is written besides JSON files", KG_OPTIONAL,
             KG_NAMES(kg_report_names)),
    KG_FIELD(quarantine_instability, REAL, "from where on quarantine is proposed", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(quarantine_runs, SIZE, "stable ones that end a quarantine", KG_OPTIONAL,
             KG_UNKNOWN_IF_0),
};
const struct kg_record kg_results_policy_record =
    KG_RECORD_OF(policy_fields, "The suite's policy.");
#undef STRUCT

#define STRUCT kg_results
static const struct kg_field results_fields[] = {
    KG_FIELD(created, STRING, "UTC", KG_PATTERN_TIME),
    KG_FIELD(kgate_version, STRING, "of the program"),
    KG_FIELD(suite, STRING, "its name"),
    KG_FIELD(suite_path, STRING, "as given"),
    KG_FIELD(commit, STRING,
             "commit of the checkout that holds the suite, or of `ab` the build: `git describe "
             "--tags --always --dirty`",
             KG_OPTIONAL),
    KG_FIELD(branch, STRING, "branch of that checkout", KG_OPTIONAL),
    KG_FIELD(policy, RECORD, NULL, KG_OF(kg_results_policy_record)),
    KG_FIELD(complete, BOOL, "false: interrupted"),
    KG_FIELD(filter, STRING, "the options that left cases out", KG_OPTIONAL),
    KG_FIELD(machine, RECORD, NULL, KG_OF(kg_machine_record)),
    KG_FIELD(environment, RECORD, NULL, KG_OPTIONAL, KG_OF(kg_environment_record)),
    KG_FIELD(sequential, BOOL, "rounds were added while they were looked at: `gate` and `ab`",
             KG_OPTIONAL),
    KG_FIELD(pair, STRING, "`ab`: the same in the results of both sides", KG_OPTIONAL),
    KG_FIELD(tests, SIZE,
             "how many tests these are judged with, where they are some of a suite's cases",
             KG_OPTIONAL),
    KG_LIST(files, file_count, RECORDS, "whose code was measured", KG_OPTIONAL, KG_OF(file_record)),
    KG_FIELD(start_note, STRING,
             "load, quota and what the host took when measuring began, where that is worth a word",
             KG_OPTIONAL),
    KG_FIELD(not_kept, STRING,
             "why what was seen of cases on the CPU could not be kept for the next run",
             KG_OPTIONAL),
    KG_FIELD(profile, STRING, "name of the recording that `run --profile` left in the same folder",
             KG_OPTIONAL),
    KG_FIELD(no_profile, STRING, "why `run --profile` left no recording", KG_OPTIONAL),
    KG_LIST(probes, probe_count, COLUMNS, NULL, KG_OPTIONAL, KG_OF(probe_record)),
    KG_FIELD(timer_resolution_ns, REAL, "of the clock", KG_FROM_0),
    KG_FIELD(ceilings, RECORD, "What the GPU was measured to be capable of, by kgate.", KG_OPTIONAL,
             KG_OF(kg_ceilings_record)),
    KG_FIELD(cpu_ceilings, RECORD, "What the CPU was measured to be capable of, by kgate.",
             KG_OPTIONAL, KG_OF(kg_cpu_ceilings_record)),
    KG_FIELD(suggest, RECORD, NULL, KG_OPTIONAL, KG_OF(kg_suggest_settings_record)),
    KG_FIELD(measured_ns, REAL, "sum of wall_ns over all rounds", KG_FROM_0),
    KG_FIELD(elapsed_ns, REAL, "of the whole run", KG_FROM_0),
    KG_LIST(cases, case_count, RECORDS, "in the suite's order", KG_OF(kg_case_result_record)),
};

const struct kg_record kg_results_record =
    KG_RECORD_OF(results_fields, "What measuring a suite gave.");
#undef STRUCT

void kg_results_free(struct kg_results *results)
{
    kg_arena_free(&results->arena);
    *results = (struct kg_results){0};
}
