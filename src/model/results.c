#include "model/results.h"

#include <fnmatch.h>
#include <stddef.h>
#include <string.h>

#include "model/code_fields.h"

const char *const kg_status_names[6] = {"OK", "FAILED", "SKIPPED", "UNMEASURED", "UNCHANGED", NULL};

#define STRUCT kg_summary
static const struct kg_field summary_fields[] = {
    KG_FIELD(median_ns, REAL, "median of round medians", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(mean_ns, REAL, "mean of round medians", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(standard_deviation_ns, REAL, "standard deviation of round medians", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(min_ns, REAL, "least of all samples", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(max_ns, REAL, "greatest of all samples", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(p95_ns, REAL,
             "95th percentile: of all samples if all are kept, otherwise the median over rounds",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(interval_low_ns, REAL, "lower end of the median's 95 % interval", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(interval_high_ns, REAL, "upper end of the median's 95 % interval", KG_OPTIONAL,
             KG_FROM_0),
};
static const struct kg_record summary_record =
    KG_RECORD_OF(summary_fields, "Summary of the rounds; empty without rounds.");
#undef STRUCT

#define STRUCT kg_breakdown
static const struct kg_field breakdown_fields[] = {
    KG_FIELD(wall_ns, REAL, "elapsed time", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(gpu_ns, REAL, "time on the GPU", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(cpu_ns, REAL, "CPU time of all threads", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(transfer_ns, REAL, "time of data transfers", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(overhead_ns, REAL, "time of reading the clock", KG_OPTIONAL, KG_FROM_0),
};
static const struct kg_record breakdown_record =
    KG_RECORD_OF(breakdown_fields, "Time per call in ns; unknown parts are left out.");
#undef STRUCT

#define STRUCT kg_memory
static const struct kg_field memory_fields[] = {
    KG_FIELD(peak_bytes, COUNT,
             "resident memory beyond the harness: median over rounds of the peak, bytes"),
    KG_FIELD(allocated_bytes, COUNT, "peak of the memory from kgate's allocator, bytes"),
    KG_FIELD(harness_bytes, COUNT, "resident memory before the workload was set up, bytes"),
    KG_FIELD(malloc_used_bytes, REAL,
             "CPU: memory from malloc in use after the first calls, beyond the harness's, bytes",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(malloc_cached_bytes, REAL,
             "CPU: free memory that malloc then holds for later calls, bytes", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(device_peak_bytes, REAL,
             "GPU: greatest loss of free memory since before set-up, bytes", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(device_allocated_bytes, REAL,
             "GPU: peak of the memory from the allocator that kgate gives to workloads, bytes",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(device_cached_bytes, REAL,
             "GPU: device_peak_bytes beyond device_allocated_bytes, bytes", KG_OPTIONAL, KG_FROM_0),
};
static const struct kg_record memory_record =
    KG_RECORD_OF(memory_fields, "Memory of the worker process.");
#undef STRUCT

#define STRUCT kg_case_work
static const struct kg_field work_fields[] = {
    KG_FIELD(items, REAL, "number of items processed", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(bytes, REAL, "bytes moved", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(flops, REAL, "number of floating-point operations", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(items_per_second, REAL, "items per second", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(bytes_per_second, REAL, "bytes per second", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(flops_per_second, REAL, "floating-point operations per second", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(
        bandwidth_share, REAL,
        "share of the measured peak bandwidth for this mix of reads and writes; mix unknown: "
        "share of the faster of copying and reading. Absent if the L2 cache may spare more than "
        "1/16 of the bytes",
        KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(fma_share, REAL, "share of the measured peak of multiply-adds", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(
        tensor_share, REAL,
        "share of the tensor cores' FLOP per cycle; clock unknown: share of their measured peak",
        KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(arithmetic, STRING, "unit that does the floating-point operations", KG_OPTIONAL,
             KG_WORDS("f32", "bf16_tensor")),
    KG_FIELD(written_bytes, REAL, "bytes written, part of `bytes`", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(item_name, STRING, "name of the items, such as vectors or tokens", KG_OPTIONAL,
             KG_NOT_EMPTY),
};
static const struct kg_record work_record =
    KG_RECORD_OF(work_fields, "Work and rates of one call; unknown values are left out.");
#undef STRUCT

#define STRUCT kg_look
static const struct kg_field look_fields[] = {
    KG_FIELD(alone_ns, REAL, "time with one thread, if the case may use more threads, ns",
             KG_OPTIONAL, KG_ABOVE_0),
    KG_FIELD(instructions, REAL, "instructions of all threads", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(line_bytes, REAL, "bytes of cache lines that entered the first level", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(memory_line_bytes, REAL,
             "bytes of cache lines read from memory, and of written lines that went to memory",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(source, STRING, "tool that counted instructions and cache lines", KG_OPTIONAL,
             KG_WORDS("perf", "callgrind")),
    KG_FIELD(reason, STRING, "reason for missing counts", KG_OPTIONAL),
};
const struct kg_record kg_look_record =
    KG_RECORD_OF(look_fields, "CPU: observations of a call outside the timed rounds.");
#undef STRUCT

#define STRUCT kg_limit
static const struct kg_field limit_fields[] = {
    KG_FIELD(metric, STRING,
             "metric: time, peak_memory, items_per_second, bytes_per_second, flops_per_second, "
             "speedup_over_cpu, or the name of one of the workload's counters",
             KG_NOT_EMPTY),
    KG_FIELD(relation, STRING, "direction of the limit: at least or at most", KG_WORDS(">=", "<=")),
    KG_FIELD(limit, REAL, "limit in ns, bytes, 1/s or as a plain number", KG_ABOVE_0),
};
static const struct kg_record limit_record = KG_RECORD_OF(limit_fields, "A limit of the suite.");
#undef STRUCT

#define STRUCT kg_series
static const struct kg_field series_fields[] = {
    KG_FIELD(name, STRING,
             "name of a metric, of a counter that the workload reports, or of a CUPTI counter"),
    KG_FIELD(
        source, STRING, "tool that counted; `rounds`: the rounds have the values",
        KG_WORDS("rounds", "workload", "perf", "callgrind", "none", "cupti", "powercap", "nvml")),
    KG_FIELD(unit, STRING,
             "unit of the workload's counter, otherwise of the metric; absent: a "
             "plain number",
             KG_OPTIONAL, KG_WORDS("ns", "bytes", "J")),
    KG_FIELD(better, ENUM, "better direction; without meaning for a counter without a threshold",
             KG_NAMES(kg_better_names)),
    KG_FIELD(threshold, REAL,
             "smallest relative change that counts; absent: not judged, such as a counter that the "
             "suite does not name",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(min_effect, REAL, "smallest absolute change that counts, in the metric's unit",
             KG_OPTIONAL, KG_FROM_0),
    KG_LIST(values, value_count, REALS,
            "one value per round; for instructions one per counting process; absent if the source "
            "is `rounds`",
            KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(reason, STRING, "reason for missing values", KG_OPTIONAL),
};
static const struct kg_record series_record = KG_RECORD_OF(series_fields, "A metric of a case.");
#undef STRUCT

#define STRUCT kg_probe_reading
static const struct kg_field probe_fields[] = {
    KG_FIELD(at_ns, REAL, "time since the run began, ns", KG_NULLABLE),
    KG_FIELD(pulse_ns, REAL, "time of the clock probe, ns", KG_NULLABLE),
    KG_FIELD(bandwidth_bytes_per_s, REAL, "bandwidth of reading memory, bytes per second",
             KG_NULLABLE),
    KG_FIELD(latency_ns, REAL, "latency of a load that depends on the load before, ns",
             KG_NULLABLE),
};
static const struct kg_record probe_record =
    KG_RECORD_OF(probe_fields, "Readings of the probe between rounds, by column.");
#undef STRUCT

#define STRUCT kg_measured_file
static const struct kg_field file_fields[] = {
    KG_FIELD(hash, STRING, "SHA-256 of the file's bytes", KG_PATTERN_SHA256),
    KG_FIELD(path, STRING, "absolute path", KG_NOT_EMPTY),
};
static const struct kg_record file_record = KG_RECORD_OF(
    file_fields, "A file whose code was measured: a plugin, the program of a command, or kgate.");
#undef STRUCT

#define STRUCT kg_case_result
static const struct kg_field case_fields[] = {
    KG_FIELD(id, STRING, "workload/key=value,…/device", KG_NOT_EMPTY),
    KG_FIELD(workload, STRING, "name of the workload in the suite"),
    KG_FIELD(line, SIZE, "line of the suite that names the workload", KG_OPTIONAL, KG_UNKNOWN_IF_0),
    KG_FIELD(source, STRING, "source of the workload in the suite", KG_NAMES(kg_source_names)),
    KG_FIELD(target, STRING, "kernel, PLUGIN:ENTRY, or program", KG_OPTIONAL),
    KG_LIST(params, param_count, PAIRS, "parameters in the suite's order"),
    KG_FIELD(threads, COUNT, "number of threads that the case may use; absent or 0: not known",
             KG_OPTIONAL),
    KG_FIELD(threads_said, BOOL, "whether the suite or `OMP_NUM_THREADS` sets `threads`",
             KG_OPTIONAL),
    KG_FIELD(device, STRING, "device of the case", KG_WORDS("cpu", "cuda")),
    KG_FIELD(backend, STRING, "part of kgate that runs the case", KG_NAMES(kg_backend_names)),
    KG_FIELD(definition_hash, STRING,
             "hash of the case's definition; kgate never compares results of two definitions",
             KG_PATTERN_HASH),
    KG_FIELD(timing, STRING, "timed part of a call on the GPU", KG_OPTIONAL,
             KG_NAMES(kg_timing_names)),
    KG_CODE_FIELDS,
    KG_FIELD(same_as_base, BOOL,
             "paired rounds: whether code, libraries and command equal the baseline's, and nothing "
             "else differs",
             KG_OPTIONAL),
    KG_FIELD(build, STRING, "hash of the file in `files` that holds the code", KG_OPTIONAL,
             KG_PATTERN_SHA256),
    KG_LIST(tags, tag_count, STRINGS, "tags in the suite"),
    KG_LIST(own_variables, own_variable_count, STRINGS,
            "variables that may stand in `environment`, and that the suite or kgate sets instead "
            "of inheriting",
            KG_OPTIONAL),
    KG_FIELD(reference, BOOL, "whether the case is a reference version, kept for comparison",
             KG_OPTIONAL),
    KG_FIELD(status, ENUM, "outcome of measuring", KG_NAMES(kg_status_names)),
    KG_FIELD(reason, STRING, "reason why the status is not OK", KG_OPTIONAL),
    KG_FIELD(note, STRING, "reason to doubt the case's times", KG_OPTIONAL),
    KG_FIELD(stderr_tail, STRING, "last lines that the case wrote to standard error", KG_OPTIONAL),
    KG_FIELD(
        unpaired, BOOL,
        "paired rounds: whether the case is SKIPPED because the baseline could not be measured",
        KG_OPTIONAL),
    KG_FIELD(disturbance_limit, REAL,
             "disturbance of a round above which kgate measures an additional round", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(metrics, BITS, "compared metrics", KG_OPTIONAL, KG_NAMES(kg_metric_kind_names)),
    KG_FIELD(
        unasked_metrics, BITS,
        "compared metrics that the suite does not name, except time: they leave no case undecided",
        KG_OPTIONAL, KG_NAMES(kg_metric_kind_names)),
    KG_LIST(series, series_count, RECORDS, "values by metric", KG_OF(series_record)),
    KG_LIST(budgets, budget_count, RECORDS, "absolute limits; a range is two limits of one metric",
            KG_OF(limit_record)),
    KG_FIELD(round_ns, REAL,
             "measured time of the latest rounds, if the first rounds determined it; otherwise "
             "`min_time` of the suite, ns",
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
    KG_FIELD(missing_device, ENUM, "result of a case without its device",
             KG_NAMES(kg_missing_device_names)),
    KG_FIELD(undecided, ENUM, "result of a gate that decided nothing", KG_OPTIONAL,
             KG_NAMES(kg_undecided_names)),
    KG_FIELD(missing, REAL, "share of MISSING cases that a merge accepts", KG_OPTIONAL,
             KG_BETWEEN(0, 1)),
    KG_FIELD(alpha, REAL, "false-alarm rate allowed for the whole suite, as a share",
             KG_INSIDE(0, 1)),
    KG_FIELD(reports, BITS, "reports to write besides JSON files", KG_OPTIONAL,
             KG_NAMES(kg_report_names)),
    KG_FIELD(quarantine_instability, REAL,
             "instability above which kgate proposes quarantine, as a share", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(quarantine_runs, SIZE, "number of stable runs that end a quarantine", KG_OPTIONAL,
             KG_UNKNOWN_IF_0),
};
const struct kg_record kg_results_policy_record =
    KG_RECORD_OF(policy_fields, "The suite's policy.");
#undef STRUCT

#define STRUCT kg_shard
static const struct kg_field shard_fields[] = {
    KG_FIELD(count, SIZE, "number of shards; 0: the results are no shard", KG_OPTIONAL,
             KG_UNKNOWN_IF_0),
    KG_FIELD(index, SIZE, "number of this shard, from 1", KG_OPTIONAL, KG_UNKNOWN_IF_0),
    KG_FIELD(cases, SIZE, "number of cases of all shards", KG_OPTIONAL, KG_UNKNOWN_IF_0),
    KG_FIELD(attempt, SIZE, "number of times that a scheduler started this shard", KG_OPTIONAL,
             KG_UNKNOWN_IF_0),
    KG_FIELD(job, STRING, "the scheduler's id for all shards", KG_OPTIONAL),
    KG_FIELD(node, STRING, "name of the machine", KG_OPTIONAL),
    KG_FIELD(plan, STRING, "hash of the file of --plan", KG_OPTIONAL),
    KG_FIELD(definition, STRING, "hash of the cases and settings of all shards", KG_OPTIONAL),
    KG_FIELD(trust, STRING, "branch and commit of --trust", KG_OPTIONAL),
    KG_FIELD(baselines, STRING, "folder of --baseline", KG_OPTIONAL),
    KG_FIELD(options, STRING, "other options that decided", KG_OPTIONAL),
};
static const struct kg_record shard_record =
    KG_RECORD_OF(shard_fields, "The part of a suite that one machine of a fleet measured.");
#undef STRUCT

#define STRUCT kg_results
static const struct kg_field results_fields[] = {
    KG_FIELD(created, STRING, "creation time, UTC", KG_PATTERN_TIME),
    KG_FIELD(kgate_version, STRING, "version of kgate"),
    KG_FIELD(suite, STRING, "name of the suite"),
    KG_FIELD(suite_path, STRING, "path of the suite as given"),
    KG_FIELD(commit, STRING,
             "commit of the checkout that holds the suite, or with `ab` of the build: `git "
             "describe --tags --always --dirty`",
             KG_OPTIONAL),
    KG_FIELD(branch, STRING, "branch of that checkout", KG_OPTIONAL),
    KG_FIELD(policy, RECORD, NULL, KG_OF(kg_results_policy_record)),
    KG_FIELD(complete, BOOL, "false: the run was interrupted"),
    KG_FIELD(filter, STRING, "options that left cases out", KG_OPTIONAL),
    KG_FIELD(shard, RECORD, NULL, KG_OPTIONAL, KG_OF(shard_record)),
    KG_FIELD(mixed, BOOL, "whether the shards ran on several kinds of machine", KG_OPTIONAL),
    KG_FIELD(machine, RECORD, NULL, KG_OF(kg_machine_record)),
    KG_FIELD(environment, RECORD, NULL, KG_OPTIONAL, KG_OF(kg_environment_record)),
    KG_FIELD(sequential, BOOL, "whether kgate added rounds after interim analyses: `gate` and `ab`",
             KG_OPTIONAL),
    KG_FIELD(pair, STRING, "key of an `ab`, equal in the results of both builds", KG_OPTIONAL),
    KG_FIELD(tests, SIZE,
             "number of tests for the correction, if these are some of a suite's cases",
             KG_OPTIONAL),
    KG_LIST(files, file_count, RECORDS, "files whose code was measured", KG_OPTIONAL,
            KG_OF(file_record)),
    KG_FIELD(start_note, STRING, "load, quota and steal time when measuring began, if notable",
             KG_OPTIONAL),
    KG_FIELD(not_kept, STRING,
             "reason why kgate could not keep the profiles of CPU cases for the next run",
             KG_OPTIONAL),
    KG_FIELD(profile, STRING, "name of the recording that `run --profile` left in the same folder",
             KG_OPTIONAL),
    KG_FIELD(no_profile, STRING, "reason why `run --profile` left no recording", KG_OPTIONAL),
    KG_LIST(probes, probe_count, COLUMNS, NULL, KG_OPTIONAL, KG_OF(probe_record)),
    KG_FIELD(timer_resolution_ns, REAL, "resolution of the clock, ns", KG_FROM_0),
    KG_FIELD(ceilings, RECORD, "Measured peaks of the GPU.", KG_OPTIONAL,
             KG_OF(kg_ceilings_record)),
    KG_FIELD(cpu_ceilings, RECORD, "Measured peaks of the CPU.", KG_OPTIONAL,
             KG_OF(kg_cpu_ceilings_record)),
    KG_FIELD(suggest, RECORD, NULL, KG_OPTIONAL, KG_OF(kg_suggest_settings_record)),
    KG_FIELD(measured_ns, REAL, "sum of wall_ns over all rounds", KG_FROM_0),
    KG_FIELD(elapsed_ns, REAL, "duration of the whole run, ns", KG_FROM_0),
    KG_LIST(cases, case_count, RECORDS, "cases in the suite's order", KG_OF(kg_case_result_record)),
};

const struct kg_record kg_results_record = KG_RECORD_OF(results_fields, "Measurements of a suite.");
#undef STRUCT

void kg_results_free(struct kg_results *results)
{
    kg_arena_free(&results->arena);
    *results = (struct kg_results){0};
}

bool kg_filter_matches(const char *filter, const char *id, const char *const *tags,
                       size_t tag_count)
{
    static const char TAG[] = "tag:";
    if (strncmp(filter, TAG, sizeof TAG - 1) != 0)
        return fnmatch(filter, id, 0) == 0;
    for (size_t i = 0; i < tag_count; i++)
        if (fnmatch(filter + sizeof TAG - 1, tags[i], 0) == 0)
            return true;
    return false;
}
