/* results.h: what measuring a suite gave: one struct for each case, JSON in kgate.results.v1. Times
 * are nanoseconds a call; a figure that is not known is NaN, a text NULL. */
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
    KG_STATUS_UNMEASURED, /* the run ended before it had a round, or the machine was too busy */
    KG_STATUS_UNCHANGED,  /* not measured: its code is that of its reference */
};
extern const char *const kg_status_names[6];
#define KG_UNCHANGED_REASON "code unchanged: not measured"

enum { KG_ROUND_SAMPLES_MOST = 10, KG_PROBES_MOST = 512, KG_PULSE_CYCLES = 49152 };

/* One fresh process measuring the case. Figures are over all its samples; of the samples themselves
 * at most KG_ROUND_SAMPLES_MOST are kept, evenly spread over the round. */
struct kg_round {
    double median_ns;
    double mean_ns;
    double min_ns;
    double max_ns;
    double p95_ns;
    double median_error_ns; /* standard error of median_ns; 0 or NaN: unknown */
    double cpu_ns;          /* CPU time of all threads, a call */
    double user_ns;         /* of that, in user mode; NaN where not known, as the next */
    double system_ns;       /* and in the kernel */
    double wall_ns;         /* the sum of the samples: the round's measured time, all calls */
    double warm_up_ns;      /* time spent on warm-up, all calls */
    uint64_t calls;         /* timed calls: samples times batch */
    uint64_t batch;         /* calls a sample */
    double pulse_ns;        /* kg_pulse_ns between the samples, their median; on the GPU the time of
                          KG_PULSE_CYCLES of a multiprocessor; NaN where not known */
    uint64_t peak_bytes;
    uint64_t voluntary_switches; /* this and what follows while it was timed, without warm-up */
    uint64_t involuntary_switches;
    uint64_t minor_faults;
    uint64_t major_faults;
    double wait_ns;     /* that threads were ready to run and waited for a CPU, summed over them;
                           what they took from each other is left out; NaN where not known */
    double stolen_ns;   /* that the host of a virtual machine took from the CPUs it may use */
    double disturbance; /* kg_round_disturbance; `ab`: of the worse of the two builds */
    bool confirms;      /* taken later than the others, to confirm what they made suspect */
    double base_ratio;  /* `ab`: time over that of the base, turn by turn in this round; else NaN */
    /* On the GPU, where the times above are the device's; else NaN. */
    double call_ns;       /* host time of a call alone, until the device is done: median of some */
    double launch_ns;     /* host time that `run` takes while the device is held back: likewise */
    double median_cycles; /* of a multiprocessor, a call: each sample's time by its own clock */
    double sm_clock_hz;   /* read on the device, median over the samples */
    double timer_overhead_ns; /* what the timer took out of each sample: the process's own figure */
    double memory_clock_hz;   /* this and what follows by NVML, at the round's end */
    double temperature_c;
    double power_w;
    double utilization;     /* of the device before the process did anything, 0 to 1 */
    double other_processes; /* with a context on the device */
    double throttle;        /* KG_NVML_ bits that held while the round was measured, as a number */
    bool throttled;         /* held back: kept, but not judged; another was measured for it */
    double *samples_ns;
    size_t sample_count;
    uint64_t samples_dropped;
};

/* In an initialiser: the members that only the GPU has, and those that are not known yet. Needs
 * <math.h>. */
#define KG_ROUND_ON_CPU                                                                            \
    .user_ns = NAN, .system_ns = NAN, .wait_ns = NAN, .stolen_ns = NAN, .disturbance = NAN,        \
    .call_ns = NAN, .launch_ns = NAN, .median_cycles = NAN, .sm_clock_hz = NAN,                    \
    .timer_overhead_ns = NAN, .memory_clock_hz = NAN, .temperature_c = NAN, .power_w = NAN,        \
    .utilization = NAN, .other_processes = NAN, .throttle = NAN

/* Over the rounds of a case. The round is the unit: median is the median of round medians, mean and
 * standard deviation are theirs, the interval is for their median; min and max are of all samples,
 * p95 is of all samples too where all are kept, else the median of the rounds' p95. */
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

/* Where a call's time goes; on the GPU as breakdown.h divides it. */
struct kg_breakdown {
    double wall_ns;
    double gpu_ns;
    double cpu_ns;
    double transfer_ns;
    double overhead_ns; /* of reading the clock, a call; on the GPU all that is none of the above */
};

struct kg_memory {
    uint64_t peak_bytes;      /* median over rounds of resident memory beyond the harness's; on the
                                 GPU device_allocated_bytes */
    uint64_t allocated_bytes; /* asked of the allocator that workloads are handed, at its peak */
    uint64_t harness_bytes;   /* resident before the workload was set up */
    /* On the GPU; else NaN. */
    double device_peak_bytes;      /* less free than before set-up, at the most */
    double device_allocated_bytes; /* asked of the allocator, at its peak */
    double device_cached_bytes;    /* what the first has beyond the second: pools, libraries */
};

#define KG_MEMORY_ON_CPU                                                                           \
    .device_peak_bytes = NAN, .device_allocated_bytes = NAN, .device_cached_bytes = NAN

/* What one call does and how fast; NaN where not known. */
struct kg_case_work {
    double items;
    double bytes;
    double flops;
    double items_per_second;
    double bytes_per_second;
    double flops_per_second;
    /* Of what the device was measured to be capable of, 0 to 1 and a little above. */
    double
        bandwidth_share; /* bytes_per_second of kg_memory_ceiling; NaN for what fits into the L2 cache
                               and is not flushed from it */
    double fma_share;    /* flops_per_second of multiply-adds, where those are what it does */
    double tensor_share;    /* of tensor cores, likewise */
    const char *arithmetic; /* what does the flops: "f32", "bf16_tensor"; NULL where not known */
    double written_bytes;   /* of `bytes` */
    const char *item_name;  /* what the items are: "vectors"; NULL where nothing was said */
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
    double launches; /* a call */
    double blocks;   /* of a launch; the largest where they differ */
    double threads;  /* of a block */
    double registers;
    double shared_bytes; /* static and dynamic */
    double local_bytes;  /* a thread: what did not fit into registers */
    double occupancy;    /* threads resident on a multiprocessor over those it can hold */
    double waves;        /* blocks over those that the device holds at once */
    double gpu_ns;       /* a call, all launches; NaN without CUPTI */
};

/* What a call puts on the device, seen apart from the timed rounds. NaN where not known. */
struct kg_trace {
    const char *source; /* "graph", "cupti" or "graph, cupti"; NULL where nothing could be seen */
    const char *reason; /* what could not be seen and why; NULL where all was */
    double launches;    /* kernels, copies and fills, a call */
    double kernel_ns;   /* device time of kernels, a call; by CUPTI, as all times here */
    double transfer_ns; /* between host and device, but what kernels hide */
    double hidden_ns;   /* transfers while kernels run: what the above leaves out */
    double other_ns;    /* copies and fills within the device, but what the above hide */
    double gap_ns;      /* the device idle between a call's first and last */
    double to_device_bytes;
    double to_host_bytes;
    double pageable_bytes; /* of both: from or to memory of the host that is not page-locked */
    struct kg_kernel_use *kernels;
    size_t kernel_count;
};

#define KG_TRACE_NONE                                                                              \
    {                                                                                              \
        .launches = NAN, .kernel_ns = NAN, .transfer_ns = NAN, .hidden_ns = NAN, .other_ns = NAN,  \
        .gap_ns = NAN, .to_device_bytes = NAN, .to_host_bytes = NAN, .pageable_bytes = NAN         \
    }

/* What is seen of a case on the CPU apart from its timed rounds, a call. NaN where not known. */
struct kg_look {
    double alone_ns;          /* with one thread instead of all; only of cases that may use more */
    double instructions;      /* of all threads */
    double line_bytes;        /* of cache lines that came into the first level of cache */
    double memory_line_bytes; /* of those, and of written ones, that came from or went to memory */
    const char *source;       /* of the latter three: "perf" or "callgrind"; NULL without them */
    const char *reason;       /* why something could not be seen; NULL where nothing failed */
};

#define KG_LOOK_NONE                                                                               \
    {                                                                                              \
        NAN, NAN, NAN, NAN, NULL, NULL                                                             \
    }

struct kg_case_check {
    bool checked; /* false: the workload has no check */
    double error;
    double tolerance;
    uint64_t seed; /* of what it drew: rows, projections; 0: not known */
};

/* The sources of series. Values of different sources are not compared. Of the rounds' own
 * fields and of a workload there is one value a round; what the machine counts is of the source
 * that run/worker/readings.c names, and what is counted apart from the rounds of another. */
#define KG_SERIES_OF_ROUNDS "rounds"
#define KG_SERIES_OF_WORKLOAD "workload"
#define KG_SERIES_OF_CUPTI "cupti"
#define KG_SERIES_OF_NOTHING "none" /* nobody counted: `reason` says why */

/* The values of one metric of a case, and how they are to be judged. */
struct kg_series {
    const char *name;   /* of kg_metric_kind_names, or the workload's own */
    const char *source; /* "rounds", "workload", "perf", "callgrind", "cupti", "powercap", "nvml" */
    const char *unit;   /* "ns", "bytes" or "J", of a workload's own that has one; else NULL */
    enum kg_better better;
    double threshold;  /* the smallest relative change that counts; NaN where it is not judged */
    double min_effect; /* the smallest absolute change that counts */
    double *values;    /* one a round, or one a counting process; none of the source "rounds" */
    size_t value_count;
    size_t value_capacity; /* in no file */
    const char *reason;    /* why there are no values; else NULL */
};

/* One of those by its median, for readers. */
struct kg_figure {
    const char *name;
    const char *unit; /* as kg_metric_row has it */
    double value;
};

/* A reading of the probe between rounds: what this machine could do at the moment. */
struct kg_probe_reading {
    double at_ns;    /* since the run began */
    double pulse_ns; /* kg_pulse_ns */
    double bandwidth_bytes_per_s;
    double latency_ns; /* of a load that depends on the one before, in 8 MiB */
};

/* A limit of the suite, as kg_budget, without its place. Of a range there are two. */
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
    size_t line;        /* of the suite, on which its workload is named; 0: not known */
    const char *source; /* a name of kg_source_names */
    struct kg_pair *params;
    size_t param_count;
    const char *target; /* what the workload is: the kernel, "PLUGIN:ENTRY", or a program; cases of
                            one target and one set of parameters do the same */
    uint64_t threads;   /* that it may use; 0 where not known */
    bool
        threads_said; /* by the suite or OMP_NUM_THREADS; else one for each CPU, or one if pinned */
    const char *device;  /* "cpu" or "cuda" */
    const char *backend; /* a name of kg_backend_names */
    const char *timing;  /* of a CUDA case: a name of kg_timing_names; else NULL */
    const char *definition_hash;
    struct kg_code_identity code; /* of the machine code; without a hash where not to be had */
    bool same_as_base;            /* of a pair: kg_builds_alike */
    const char *build; /* hash of its file in struct kg_results; NULL where a copy of the file
                              would not bring the code: a script, an interpreter, a system's program */
    const char **tags;
    size_t tag_count;
    /* Names of kg_environment_has that it does not get from the caller: by `environment:`, `threads:`, or
     * because kgate chooses its GPU. */
    const char **own_variables;
    size_t own_variable_count;
    bool reference; /* a version that others are compared with, kept on purpose */
    enum kg_status status;
    const char *reason;      /* why not OK */
    const char *note;        /* what speaks against its figures; NULL where nothing does */
    const char *stderr_tail; /* the last lines that it wrote; NULL where none */
    bool unpaired;           /* of paired rounds: SKIPPED because the base could not be measured */
    /* how it is to be judged */
    unsigned metrics; /* bits 1u << enum kg_metric_kind: what is compared; 0: time and memory */
    unsigned unasked_metrics; /* of them those that the suite does not name, except time */
    double disturbance_limit; /* of a round; NaN or 0: KG_DISTURBANCE_USUAL */
    struct kg_series *series;
    size_t series_count;
    struct kg_limit *budgets;
    size_t budget_count;
    /* what was measured */
    double round_ns; /* measured time of its latest rounds, where it is not the suite's min_time:
                        chosen by what the first rounds showed; else 0 or NaN */
    struct kg_round *rounds;
    size_t round_count;
    size_t round_capacity;     /* in no file, as the next */
    bool rounds_are_processes; /* of a profile's path */
    struct kg_summary summary; /* all NaN without rounds */
    struct kg_breakdown breakdown;
    struct kg_memory memory;
    struct kg_case_work work;
    struct kg_case_check check;
    struct kg_trace trace; /* of a CUDA case */
    struct kg_look look;   /* of one on the CPU */
    struct kg_hot hot;     /* likewise */
};

/* Initializers of a case of which nothing was measured: not known, not 0. */
#define KG_CASE_UNMEASURED                                                                         \
    .round_ns = NAN, .breakdown = {NAN, NAN, NAN, NAN, NAN}, .memory = {KG_MEMORY_ON_CPU},         \
    .work = KG_WORK_UNKNOWN, .trace = KG_TRACE_NONE, .look = KG_LOOK_NONE,                         \
    .check = {.error = NAN, .tolerance = NAN}

/* A device all of whose cases were SKIPPED, by its name in cases; NULL: there is none. Pure. */
struct kg_results;
const char *kg_results_device_missed(const struct kg_results *results);

/* The suite's judgement, as far as later stages need it. */
struct kg_results_policy {
    unsigned fail_on; /* bits 1u << enum kg_change */
    enum kg_missing_device missing_device;
    enum kg_undecided undecided;
    double alpha;
    unsigned reports;              /* bits 1u << enum kg_report_kind; 0: not known */
    double quarantine_instability; /* NaN: not known */
    size_t quarantine_runs;
};

struct kg_results {
    struct kg_arena arena; /* owns everything below */
    const char *created;   /* UTC, "2026-01-31T12:00:00Z" */
    const char *kgate_version;
    const char *suite;
    const char *suite_path;
    const char
        *commit; /* of the checkout that was measured (suite/trust/trust.h); NULL: not known */
    const char *branch; /* likewise */
    struct kg_results_policy policy;
    bool complete;      /* false: interrupted, or read from the journal of a run that was killed */
    const char *filter; /* the --filter or --shard that left cases out; NULL: none was left out */
    struct kg_machine machine;
    struct kg_environment environment; /* the caller's, of the workloads */
    bool sequential;  /* rounds were added while they were looked at: `gate` and `ab` */
    const char *pair; /* `ab`: the same in the results of both sides; else NULL */
    size_t tests;     /* made together with those of these cases, as Holm's method counts them;
                            0: no others */
    struct kg_measured_file *files; /* those that `build` of the cases names */
    size_t file_count;
    const char *start_note; /* what the machine was doing when measuring began; NULL: nothing */
    const char *not_kept;   /* why the next run will look into the same code again, or NULL */
    const char *profile;    /* name of the recording beside the results; NULL without one */
    const char *no_profile; /* why a pass that was to record left nothing, or NULL */
    struct kg_probe_reading *probes; /* at most KG_PROBES_MOST, spread over the run */
    size_t probe_count;
    double timer_resolution_ns;
    struct kg_ceilings ceilings; /* of the GPU that was used; all NaN without one */
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

/* Medians of the probe's readings; NaN where there are fewer than five. */
struct kg_probe_reading kg_results_probe(const struct kg_results *results);

/* Its peak memory; NaN where it is not known, as of another harness's: no process is without. On the GPU a
 * case may have allocated none. */
double kg_case_peak_bytes(const struct kg_case_result *result);

/* Fills summary, breakdown.wall, memory and rates of a case from its rounds and work. */
void kg_case_summarize(struct kg_case_result *result);

/* Of a case on the GPU: whether what a call moves may still be in the L2 cache from the
 * one before. */
bool kg_case_in_l2(const struct kg_results *results, const struct kg_case_result *result);

/* Fills the shares that cases on the GPU have of results->ceilings; after kg_case_summarize. */
void kg_results_shares(struct kg_results *results);

bool kg_results_write(const struct kg_results *results, const char *path, struct kg_error *err);

/* Reads results, or the journal that a killed run left beside them (journal.h).
 * results  filled on success, to be freed with kg_results_free; zeroed on failure
 * err      KG_ERROR_USAGE by name of the field that does not fit: besides types, a negative or
 *          missing time, an empty id, two cases of one id, and what no GPU could have said */
bool kg_results_load(const char *path, struct kg_results *results, struct kg_error *err);
void kg_results_free(struct kg_results *results);

/* Path of the recording that the results at `path` name, which lies beside them; in `arena`. NULL
 * where they name none. */
const char *kg_results_recording(struct kg_arena *arena, const char *path,
                                 const struct kg_results *results);

/* The time now in UTC as "2026-01-31T12:00:00Z", in `arena`. */
const char *kg_timestamp(struct kg_arena *arena);
/* Whether the text is such a time, and there is such a day. */
bool kg_timestamp_is(const char *text);

/* results_validate.c: whether what a results file says can be: for files that were edited, or
 * written by something else. Pure. */

/* Types fit already.
 * err  KG_ERROR_USAGE by the name of the first field whose value cannot be */
bool kg_results_validate(const struct kg_results *results, struct kg_error *err);
