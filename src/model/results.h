/* results.h: results of measuring a suite: one struct per case, JSON in kgate.results.v1. Times are
 * nanoseconds per call. Unknown numbers are NaN, unknown texts NULL. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/code/code_identity.h"
#include "base/error.h"
#include "base/record.h"
#include "device/environment.h"
#include "device/machine.h"
#include "model/ceilings.h"
#include "model/cpu_ceilings.h"
#include "model/hot_code.h"
#include "model/metric_table.h"
#include "model/suggest_settings.h"
#include "model/suite.h"

#define KG_RESULTS_SCHEMA "kgate.results.v1"
#define KG_JOURNAL_SCHEMA "kgate.journal.v1"

enum kg_status {
    KG_STATUS_OK,
    KG_STATUS_FAILED,     /* crash, timeout, wrong result, non-zero exit */
    KG_STATUS_SKIPPED,    /* its device is missing */
    KG_STATUS_UNMEASURED, /* the run ended before its first round, or the machine was too busy */
    KG_STATUS_UNCHANGED,  /* not measured: its code equals its reference's */
};
extern const char *const kg_status_names[6];
#define KG_UNCHANGED_REASON "code unchanged: not measured"

enum { KG_ROUND_SAMPLES_MOST = 10, KG_PROBES_MOST = 512, KG_PULSE_CYCLES = 49152 };

/* One fresh process that measures the case. Numbers are over all its samples. At most
 * KG_ROUND_SAMPLES_MOST samples are kept, evenly spread over the round. */
struct kg_round {
    double median_ns;
    double mean_ns;
    double min_ns;
    double max_ns;
    double p95_ns;
    double median_error_ns; /* standard error of median_ns; 0 or NaN: unknown */
    double cpu_ns;          /* CPU time of all threads, per call */
    double user_ns;         /* part of cpu_ns in user mode; NaN: unknown */
    double system_ns;       /* part of cpu_ns in the kernel; NaN: unknown */
    double wall_ns;         /* measured time of the round: the sum of the samples, all calls */
    double warm_up_ns;      /* time spent on warm-up, all calls */
    uint64_t calls;         /* timed calls: samples times batch */
    uint64_t batch;         /* calls per sample */
    /* median of kg_pulse_ns between the samples; on the GPU the time of KG_PULSE_CYCLES of a
     * multiprocessor; NaN: unknown */
    double pulse_ns;
    uint64_t peak_bytes;
    uint64_t voluntary_switches; /* from here to stolen_ns: in the timed part, without warm-up */
    uint64_t involuntary_switches;
    uint64_t minor_faults;
    uint64_t major_faults;
    /* time that threads were ready and waited for a CPU, summed over threads, without waits for
     * each other; NaN: unknown */
    double wait_ns;
    double stolen_ns;   /* time that a virtual machine's host took from the allowed CPUs */
    double disturbance; /* kg_round_disturbance; `ab`: the worse of both builds */
    bool confirms;      /* measured later than the others, to confirm suspects */
    double base_ratio;  /* `ab`: time over the baseline's, interleaved in this round; else NaN */
    /* GPU only, with the device's times in the fields above; else NaN. */
    double call_ns;       /* host time of one call until the device is done: median of some */
    double launch_ns;     /* host time of `run` behind a blocking kernel: median of some */
    double median_cycles; /* of a multiprocessor, per call: each sample's time by its own clock */
    double sm_clock_hz;   /* read on the device, median over the samples */
    /* time that the timer subtracted from each sample, measured in this process */
    double timer_overhead_ns;
    double memory_clock_hz; /* from here on by NVML, at the round's end */
    double temperature_c;
    double power_w;
    double utilization;     /* of the device before the process used it, 0 to 1 */
    double other_processes; /* number of other processes with a context on the device */
    double power_limit_w;
    double throttle;     /* KG_NVML_ bits during the round, as a number */
    double throttled_ns; /* time in which power or temperature lowered the clocks */
    /* throttled: kept, but not judged; kgate measured another round for it */
    bool throttled;
    double *samples_ns;
    size_t sample_count;
    uint64_t samples_dropped;
};

/* For an initialiser: members that only the GPU has, and members that are not known yet. Needs
 * <math.h>. */
#define KG_ROUND_ON_CPU                                                                            \
    .user_ns = NAN, .system_ns = NAN, .wait_ns = NAN, .stolen_ns = NAN, .disturbance = NAN,        \
    .call_ns = NAN, .launch_ns = NAN, .median_cycles = NAN, .sm_clock_hz = NAN,                    \
    .timer_overhead_ns = NAN, .memory_clock_hz = NAN, .temperature_c = NAN, .power_w = NAN,        \
    .utilization = NAN, .other_processes = NAN, .throttle = NAN, .power_limit_w = NAN,             \
    .throttled_ns = NAN

/* Summary over the rounds of a case; the round is the unit. median is the median of the rounds'
 * medians. mean and standard deviation are over these medians, and the interval is for their
 * median. min and max are over all samples. p95 is over all samples if every sample is kept, else
 * the median of the rounds' p95. */
struct kg_summary {
    double median_ns;
    double mean_ns;
    double standard_deviation_ns;
    double min_ns;
    double max_ns;
    double p95_ns;
    double interval_low_ns; /* 95 %, percentile bootstrap */
    double interval_high_ns;
};

/* Parts of a call's time; on the GPU as breakdown.h divides it. */
struct kg_breakdown {
    double wall_ns;
    double gpu_ns;
    double cpu_ns;
    double transfer_ns;
    double overhead_ns; /* of reading the clock, per call; on the GPU the rest besides the above */
};

struct kg_memory {
    /* median over rounds of resident memory beyond the harness's; on the GPU
     * device_allocated_bytes */
    uint64_t peak_bytes;
    uint64_t allocated_bytes; /* peak of the memory from the allocator for workloads */
    uint64_t harness_bytes;   /* resident memory before the workload's set-up */
    /* malloc of the worker process, after the first calls; NaN on the GPU and of commands */
    double malloc_used_bytes;   /* in use beyond the harness's */
    double malloc_cached_bytes; /* free, but not returned to the system */
    /* On the GPU only; else NaN. */
    double device_peak_bytes;      /* largest decrease of free memory since before set-up */
    double device_allocated_bytes; /* peak of the memory from the allocator */
    /* device_peak_bytes less device_allocated_bytes: pools, libraries */
    double device_cached_bytes;
};

#define KG_MEMORY_ON_CPU                                                                           \
    .malloc_used_bytes = NAN, .malloc_cached_bytes = NAN, .device_peak_bytes = NAN,                \
    .device_allocated_bytes = NAN, .device_cached_bytes = NAN

/* Work of one call, and its rates; NaN: unknown. */
struct kg_case_work {
    double items;
    double bytes;
    double flops;
    double items_per_second;
    double bytes_per_second;
    double flops_per_second;
    /* Shares of the device's measured peaks, from 0 to a little above 1. */
    double
        bandwidth_share; /* of kg_memory_ceiling; NaN: the L2 cache may spare a part of the bytes */
    double fma_share;    /* of the multiply-adds' peak, if the work consists of them */
    double tensor_share; /* of kg_tensor_ceiling, if the work runs on them */
    const char *arithmetic; /* kind of the flops: "f32", "bf16_tensor"; NULL: unknown */
    double written_bytes;   /* part of `bytes` */
    const char *item_name;  /* name of the items: "vectors"; NULL: not given */
};

#define KG_ARITHMETIC_F32 "f32"
#define KG_ARITHMETIC_BF16_TENSOR "bf16_tensor"

#define KG_WORK_UNKNOWN                                                                            \
    {                                                                                              \
        NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NULL, NAN, NULL                               \
    }

/* A kernel that a call launches. */
struct kg_kernel_use {
    const char *name;
    double launches; /* per call */
    double blocks;   /* per launch; the largest if they differ */
    double threads;  /* per block */
    double registers;
    double shared_bytes; /* static and dynamic */
    double local_bytes;  /* per thread: values that do not fit into registers */
    double occupancy;    /* threads resident on a multiprocessor over its capacity */
    double waves;        /* blocks over the number that the device holds at once */
    double gpu_ns;       /* per call, all launches; NaN without CUPTI */
};

/* Work of a call on the device, observed apart from the timed rounds. NaN: unknown. */
struct kg_trace {
    const char *source; /* "graph", "cupti" or "graph, cupti"; NULL: nothing observed */
    const char *reason; /* missing observations with their reason; NULL: none */
    double launches;    /* kernels, copies and fills, per call */
    double kernel_ns;   /* device time of kernels, per call; by CUPTI, like all times here */
    double transfer_ns; /* copies between host and device, without hidden_ns */
    double hidden_ns;   /* copies between host and device while kernels run */
    double other_ns;    /* copies and fills within the device, outside the times above */
    double gap_ns;      /* the device idle between a call's first and last work */
    double to_device_bytes;
    double to_host_bytes;
    double pageable_bytes; /* part of both: from or to host memory that is not page-locked */
    struct kg_kernel_use *kernels;
    size_t kernel_count;
};

#define KG_TRACE_NONE                                                                              \
    {                                                                                              \
        .launches = NAN, .kernel_ns = NAN, .transfer_ns = NAN, .hidden_ns = NAN, .other_ns = NAN,  \
        .gap_ns = NAN, .to_device_bytes = NAN, .to_host_bytes = NAN, .pageable_bytes = NAN         \
    }

/* Observations of a case on the CPU apart from its timed rounds, per call. NaN: unknown. */
struct kg_look {
    double alone_ns;          /* with one thread instead of all; only if a case may use more */
    double instructions;      /* of all threads */
    double line_bytes;        /* of cache lines brought into the first level of cache */
    double memory_line_bytes; /* of cache lines from or to memory, written ones included */
    const char *source;       /* of the last three: "perf" or "callgrind"; NULL: none */
    const char *reason;       /* why an observation failed; NULL: none failed */
};

#define KG_LOOK_NONE                                                                               \
    {                                                                                              \
        NAN, NAN, NAN, NAN, NULL, NULL                                                             \
    }

struct kg_case_check {
    bool checked; /* false: the workload has no check */
    double error;
    double tolerance;
    uint64_t seed; /* of the check's random rows and projections; 0: unknown */
};

/* Sources of series. Values of different sources are not compared. The rounds' own fields and a
 * workload's metrics have one value per round. run/worker/readings.c names the sources of the
 * machine's counters. Counts apart from the rounds have a source of their own. */
#define KG_SERIES_OF_ROUNDS "rounds"
#define KG_SERIES_OF_WORKLOAD "workload"
#define KG_SERIES_OF_CUPTI "cupti"
#define KG_SERIES_OF_NOTHING "none" /* no counts: `reason` has the cause */

/* The values of one metric of a case, and the rules for judging them. */
struct kg_series {
    const char *name;   /* from kg_metric_kind_names, or the workload's own */
    const char *source; /* "rounds", "workload", "perf", "callgrind", "cupti", "powercap", "nvml" */
    const char *unit;   /* unit of a workload's own metric: "ns", "bytes" or "J"; else NULL */
    enum kg_better better;
    double threshold;  /* smallest relative change that counts; NaN: not judged */
    double min_effect; /* smallest absolute change that counts */
    /* one per round, or one per counting process; none for the source "rounds" */
    double *values;
    size_t value_count;
    size_t value_capacity; /* in no file */
    const char *reason;    /* why there are no values; else NULL */
};

/* A series as its median, for readers. */
struct kg_figure {
    const char *name;
    const char *unit; /* as in kg_metric_row */
    double value;
};

/* A reading of the probe between rounds: the machine's speed at that moment. */
struct kg_probe_reading {
    double at_ns;    /* since the run began */
    double pulse_ns; /* kg_pulse_ns */
    double bandwidth_bytes_per_s;
    double latency_ns; /* of a load that depends on the load before, in 8 MiB */
};

/* A limit of the suite: kg_budget without its place. A range is two limits. */
struct kg_limit {
    const char *metric;
    const char *relation; /* ">=" or "<=" */
    double limit;
};

/* A file whose code was measured: a plugin, the program of a command, or kgate. */
struct kg_measured_file {
    const char *hash; /* SHA-256 of its bytes, before the first round */
    const char *path; /* absolute */
};

struct kg_case_result {
    const char *id;
    const char *workload;
    size_t line;        /* line of the suite with its workload's name; 0: unknown */
    const char *source; /* a name of kg_source_names */
    struct kg_pair *params;
    size_t param_count;
    /* the kernel, "PLUGIN:ENTRY", or a program. Cases with the same target and parameters do the
     * same work */
    const char *target;
    uint64_t threads;    /* number of threads that it may use; 0: unknown */
    bool threads_said;   /* by the suite or OMP_NUM_THREADS; else one per CPU, 1 if pinned */
    const char *device;  /* "cpu" or "cuda" */
    const char *backend; /* a name of kg_backend_names */
    const char *timing;  /* CUDA case: a name of kg_timing_names; else NULL */
    const char *definition_hash;
    struct kg_code_identity code; /* of the machine code; without a hash if there is none */
    bool same_as_base;            /* paired rounds: kg_builds_alike */
    /* hash of its file in struct kg_results; NULL if a copy of the file would lack the code: a
     * script, an interpreter, a system's program */
    const char *build;
    const char **tags;
    size_t tag_count;
    /* Names of kg_environment_has that the case does not get from the caller: `environment:` or
     * `threads:` sets them, or kgate chooses its GPU. */
    const char **own_variables;
    size_t own_variable_count;
    bool reference; /* a version kept on purpose, to compare others with */
    enum kg_status status;
    const char *reason;      /* why not OK */
    const char *note;        /* doubts about its numbers; NULL: none */
    const char *stderr_tail; /* the last lines that it wrote; NULL: none */
    /* paired rounds: SKIPPED because the baseline side could not be measured */
    bool unpaired;
    /* rules for judging */
    unsigned metrics; /* compared metrics, bits 1u << enum kg_metric_kind; 0: time and memory */
    unsigned unasked_metrics; /* part of `metrics` that the suite does not name, except time */
    double disturbance_limit; /* of a round; NaN or 0: KG_DISTURBANCE_USUAL */
    struct kg_series *series;
    size_t series_count;
    struct kg_limit *budgets;
    size_t budget_count;
    /* measurements */
    /* measured time of its latest rounds, chosen from the first rounds; 0 or NaN: the suite's
     * min_time */
    double round_ns;
    struct kg_round *rounds;
    size_t round_count;
    size_t round_capacity;     /* in no file, like the next */
    bool rounds_are_processes; /* the path of a profile */
    struct kg_summary summary; /* all NaN without rounds */
    struct kg_breakdown breakdown;
    struct kg_memory memory;
    struct kg_case_work work;
    struct kg_case_check check;
    struct kg_trace trace; /* CUDA cases only */
    struct kg_look look;   /* cases on the CPU only */
    struct kg_hot hot;     /* cases on the CPU only */
};

/* For an initialiser of an unmeasured case: numbers are unknown, not 0. */
#define KG_CASE_UNMEASURED                                                                         \
    .round_ns = NAN, .breakdown = {NAN, NAN, NAN, NAN, NAN}, .memory = {KG_MEMORY_ON_CPU},         \
    .work = KG_WORK_UNKNOWN, .trace = KG_TRACE_NONE, .look = KG_LOOK_NONE,                         \
    .check = {.error = NAN, .tolerance = NAN}

/* A device with SKIPPED cases only, by its name in cases; NULL: none. Pure. */
struct kg_results;
const char *kg_results_device_missed(const struct kg_results *results);

/* The suite's policy, as far as later stages need it. */
struct kg_results_policy {
    unsigned fail_on; /* bits 1u << enum kg_change */
    enum kg_missing_device missing_device;
    enum kg_undecided undecided;
    double missing; /* share of MISSING cases that a merge accepts; NaN: unknown, so 0 */
    double alpha;
    unsigned reports;              /* bits 1u << enum kg_report_kind; 0: unknown */
    double quarantine_instability; /* NaN: unknown */
    size_t quarantine_runs;
};

/* The part of a suite that one machine of a fleet measured. */
struct kg_shard {
    size_t count;           /* number of shards; 0: no shard */
    size_t index;           /* 1 to count */
    size_t cases;           /* number of cases of all shards */
    size_t attempt;         /* from 1: how often a scheduler started this shard */
    const char *job;        /* the scheduler's id for the whole fleet; NULL: unknown */
    const char *node;       /* name of the machine for people */
    const char *plan;       /* hash of the --plan file; NULL: none */
    const char *definition; /* hash of all shards' cases and settings; NULL: unknown */
    const char *trust;      /* branch and commit of --trust; NULL: none */
    const char *baselines;  /* folder of --baseline; NULL: the default */
    const char *options;    /* other options that decided, as " --set threshold=9%"; NULL: none */
};

struct kg_results {
    struct kg_arena arena; /* owns everything below */
    const char *created;   /* UTC, "2026-01-31T12:00:00Z" */
    const char *kgate_version;
    const char *suite;
    const char *suite_path;
    const char *commit; /* of the measured checkout (suite/trust/trust.h); NULL: unknown */
    const char *branch; /* of the measured checkout; NULL: unknown */
    struct kg_results_policy policy;
    bool complete;      /* false: interrupted, or read from a killed run's journal */
    const char *filter; /* the --filter or --shard that left cases out; NULL: none */
    struct kg_shard shard;
    bool is_base; /* `compare` of a file with itself: the baseline is these results; in no file */
    bool mixed;   /* `merge` of several kinds of machine; `machine` is one of them */
    struct kg_machine machine;
    struct kg_environment environment; /* the caller's, for the workloads */
    bool sequential;  /* rounds were added after interim analyses: `gate` and `ab` */
    const char *pair; /* `ab`: equal in the results of both sides; else NULL */
    /* number of tests for Holm's method, if these are some of a suite's cases; 0: their own */
    size_t tests;
    struct kg_measured_file *files; /* files that `build` of the cases names */
    size_t file_count;
    const char *start_note; /* the machine's other activity at the start; NULL: none */
    const char *not_kept;   /* why the next run will profile the same code again, or NULL */
    const char *profile;    /* name of the recording beside the results; NULL: none */
    const char *no_profile; /* why a recording pass left nothing, or NULL */
    struct kg_probe_reading *probes; /* at most KG_PROBES_MOST, spread over the run */
    size_t probe_count;
    double timer_resolution_ns;
    struct kg_ceilings ceilings; /* of the GPU in use; all NaN: no GPU */
    struct kg_cpu_ceilings cpu_ceilings;
    bool cpu_ceilings_kept;             /* an earlier run measured them; in no file */
    struct kg_suggest_settings suggest; /* the suite's thresholds for suggestions */
    double measured_ns;                 /* sum of wall_ns over all rounds */
    double elapsed_ns;                  /* of the whole run */
    struct kg_case_result *cases;
    size_t case_count;
};

extern const struct kg_record kg_results_record;
extern const struct kg_record kg_case_result_record;
extern const struct kg_record kg_round_record;
extern const struct kg_record kg_trace_record;
extern const struct kg_record kg_look_record;
extern const struct kg_record kg_case_check_record;
extern const struct kg_record kg_results_policy_record;

/* Medians of the probe's readings; NaN with fewer than five readings. */
struct kg_probe_reading kg_results_probe(const struct kg_results *results);

/* A case's peak memory; NaN if unknown, as in another harness's results: a process without memory
 * does not exist. A case on the GPU may have allocated none. */
double kg_case_peak_bytes(const struct kg_case_result *result);

/* Fills summary, breakdown.wall, memory and rates of a case from its rounds and work. */
void kg_case_summarize(struct kg_case_result *result);

/* For a case on the GPU: whether the L2 cache may spare so much memory traffic that a share of the
 * bandwidth means nothing. The data of a call may be there from the call before. `cold` flushes the
 * cache, but then as much as it holds of the output need not be written in the call: at most 1/16 of
 * the bytes may be spared. For a copy the output is then at least 8 times the cache. */
bool kg_case_spared_by_l2(const struct kg_results *results, const struct kg_case_result *result);

/* Fills the shares of results->ceilings for cases on the GPU; after kg_case_summarize. */
void kg_results_shares(struct kg_results *results);

bool kg_results_write(const struct kg_results *results, const char *path, struct kg_error *err);

/* Reads results, or the journal that a killed run left beside them (journal.h).
 * results  filled on success, to be freed with kg_results_free; zeroed on failure
 * err      KG_ERROR_USAGE by name of the refused field. Besides wrong types: a negative or missing
 *          time, an empty id, two cases with one id, values impossible for a GPU */
bool kg_results_load(const char *path, struct kg_results *results, struct kg_error *err);
void kg_results_free(struct kg_results *results);

/* Whether a --filter keeps the case: the glob (fnmatch, `*` matches `/` too) matches the id or, after
 * "tag:", one of the tags. */
bool kg_filter_matches(const char *filter, const char *id, const char *const *tags,
                       size_t tag_count);

/* Path of the recording that the results at `path` name, beside them; in `arena`. NULL if they name
 * none. */
const char *kg_results_recording(struct kg_arena *arena, const char *path,
                                 const struct kg_results *results);

/* The time now in UTC as "2026-01-31T12:00:00Z", in `arena`. */
const char *kg_timestamp(struct kg_arena *arena);
/* Whether the text is such a time, on an existing day. */
bool kg_timestamp_is(const char *text);
/* Seconds since 1970 of such a time; INT64_MIN if the text is none. */
int64_t kg_timestamp_seconds(const char *text);
enum { KG_TIMESTAMP_BYTES = 32 };
/* Writes such a time; "" if the calendar has none. */
void kg_timestamp_format(int64_t seconds, char text[KG_TIMESTAMP_BYTES]);

/* results_validate.c: whether the values of a results file are possible: for files that somebody
 * edited or another program wrote. Pure. */

/* Checks values; types already fit.
 * err  KG_ERROR_USAGE by the name of the first field with an impossible value */
bool kg_results_validate(const struct kg_results *results, struct kg_error *err);
