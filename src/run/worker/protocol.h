/* protocol.h: how kgate and its worker process talk, in JSON: one request on the worker's standard
 * input, one response on its descriptor KG_WORKER_RESPONSE.
 *
 * KG_TASK_TURNS has turns before its response. The worker writes "ready". For each KG_TURN that it
 * then reads it measures for turn_ns and writes the time measured, in ns; at KG_TURN_END it writes
 * the response. Each of these is a line.
 *
 * On the GPU one process does many tasks one after the other (`kgate worker --group`). Requests
 * come as lines on KG_WORKER_RESPONSE too, each is answered by a line, and the process ends with
 * the stream. It also ends after a task that failed, since that may have left something on the
 * device. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/process/process.h"
#include "base/record.h"
#include "model/cuda_call.h"
#include "model/results.h"
#include "model/suite.h"
#include "suite/sources/source.h"

/* A worker refuses another version. */
#define KG_REQUEST_SCHEMA "kgate.request.v1"
#define KG_RESPONSE_SCHEMA "kgate.response.v1"

/* Exit status of a worker whose count was over (count_time_ns) before its calls were: what was
 * counted of them is in Callgrind's file. */
enum { KG_WORKER_COUNT_CUT = 75 };

enum kg_task {
    KG_TASK_CHECK,    /* set up, run once, check, find the batch; nothing is recorded as timing */
    KG_TASK_ROUND,    /* set up, warm up, measure one round */
    KG_TASK_TURNS,    /* the same, but in turns, as they are asked for */
    KG_TASK_COUNT,    /* set up, run once, count the instructions, or more, of `batch` calls */
    KG_TASK_PROFILE,  /* set up, run once, then for min_time_ns with scopes on */
    KG_TASK_TRACE,    /* on the GPU: set up, run once, see what a call puts on the device */
    KG_TASK_CEILINGS, /* on the GPU: what it is capable of; no workload */
    KG_TASK_CPU_CEILINGS, /* what the CPUs are capable of that the process may use; likewise */
    KG_TASK_LIST,         /* of a command with a format: its benchmarks; no set-up */
    KG_TASK_OPEN,         /* find the workload, and whether it takes its parameters; no set-up */
};

#define KG_TURN "turn\n"
#define KG_TURN_END "end\n"
#define KG_TURN_READY "ready\n"

struct kg_request {
    enum kg_task task;
    enum kg_source source;
    const char *target;
    const char *entry; /* plugin: the workload in it */
    bool entry_given;  /* the suite names it: no other will do */
    struct kg_pair *params;
    size_t param_count;
    const char **command;
    size_t command_count;
    struct kg_command_setting setting; /* of the command */
    struct kg_cuda_call *calls;        /* how a CUDA source is called: one, or none */
    size_t call_count;
    const char *architecture; /* of the GPU, or one to compile for without it: "sm_90" */
    size_t device;            /* enum kgate_device */
    size_t timing;            /* enum kg_timing, on the GPU */
    uint64_t held_calls;      /* on the GPU: what the check found, as kg_gpu_call_timing has it */
    double call_ns;           /* likewise */
    size_t threads;
    uint64_t seed;
    uint64_t check_seed; /* of what a check draws; 0: it may choose */
    bool check_after;    /* KG_TASK_ROUND, KG_TASK_TURNS: what the timed calls left is checked */
    uint64_t memory_limit_bytes;
    double min_time_ns;
    uint64_t warm_calls; /* before the timed ones, beside those made anyway */
    unsigned metrics;    /* bits 1u << enum kg_metric_kind: which readings are wanted */
    uint64_t batch; /* calls a sample; KG_TASK_CHECK: those of a reference, to be kept if they do */
    double turn_ns; /* KG_TASK_TURNS */
    const char *count_directory; /* KG_TASK_COUNT of a command by Callgrind: where its files go */
    const char *count_source;    /* KG_TASK_COUNT: "perf" or "callgrind" */
    bool count_lines;            /* KG_TASK_COUNT: cache lines too */
    bool count_core;             /* KG_TASK_COUNT by perf: what the core does in its cycles, too */
    const char **count_options;  /* likewise: what Callgrind is told besides, of a command */
    size_t count_option_count;
    double count_time_ns; /* likewise: it ends then, with a part of the calls; 0 or NaN: never */
    bool count_cold;      /* KG_TASK_COUNT: the first call is counted, too */
    bool flush_denormals; /* of all threads: denormal numbers are 0, in and out, on x86 */
    bool huge_pages;      /* memory is asked to be in huge pages, as far as it can be told to */
    const char *profile_path;  /* KG_TASK_PROFILE: of the recording, with "%p" */
    const char *profile_label; /* likewise: what it is of */
};

/* A figure of the workload's own, or one of struct kg_counts, a call. */
struct kg_reported {
    const char *name;
    double value;
};

/* What the machine counted of a metric while a round was timed: a value a call, or why there is
 * none. */
struct kg_reading {
    enum kg_metric_kind metric;
    const char *source; /* who counted: "powercap", "nvml", or "none" */
    double value;       /* NaN with a reason */
    const char *reason; /* one sentence; NULL with a value */
};

#define KG_COUNTED_INSTRUCTIONS "instructions"
#define KG_COUNTED_LINE_BYTES "line_bytes"
#define KG_COUNTED_MEMORY_LINE_BYTES "memory_line_bytes"

struct kg_response {
    bool good; /* false: message says why the case failed, or was not to be had here: */
    bool unavailable;
    const char *message;
    double timer_resolution_ns;
    uint64_t batch;        /* KG_TASK_CHECK: calls a sample needs; KG_TASK_COUNT: those counted */
    const char *code_hash; /* of code that the worker has made; or NULL */
    struct kg_case_check check;
    double check_ns; /* what checking took after the timed calls; NaN where it was not done */
    struct kg_case_work work; /* items, bytes, flops */
    uint64_t allocated_bytes;
    uint64_t harness_bytes;
    uint64_t held_calls;      /* KG_TASK_CHECK on the GPU */
    double call_ns;           /* likewise */
    const char *note;         /* what speaks against the figures that will come of it; or NULL */
    double device_peak_bytes; /* this and the next NaN on the CPU */
    double device_allocated_bytes;
    struct kg_trace trace;               /* KG_TASK_TRACE */
    struct kg_ceilings ceilings;         /* KG_TASK_CEILINGS */
    struct kg_cpu_ceilings cpu_ceilings; /* KG_TASK_CPU_CEILINGS */
    struct kg_round *rounds;             /* KG_TASK_ROUND: one */
    size_t round_count;
    struct kg_reported *reported;
    size_t reported_count;
    const char **names; /* KG_TASK_LIST */
    size_t name_count;
    struct kg_reading *readings; /* KG_TASK_ROUND, KG_TASK_TURNS: of the request's metrics */
    size_t reading_count;
};

extern const struct kg_record kg_request_record;
extern const struct kg_record kg_response_record;
