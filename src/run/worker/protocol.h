/* protocol.h: the JSON protocol between kgate and its worker process: one request on the worker's
 * standard input, one response on its descriptor KG_WORKER_RESPONSE.
 *
 * KG_TASK_TURNS has turns before its response. The worker writes "ready". For each KG_TURN that it
 * reads, it measures for turn_ns, and writes the measured time in ns and all calls so far. At KG_TURN_END it writes the
 * response. Each message is a line.
 *
 * On the GPU one process does many tasks one after the other (`kgate worker --group`). Requests and
 * responses are lines on KG_WORKER_RESPONSE, and the process ends with the stream. It also ends after
 * a failed task, which may have left work or memory on the device. A call that waits for the device
 * cannot be recorded: the attempt leaves an error in the CUDA runtime of a plugin, which its next
 * set_up would find. So the response is the process's last. */
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

/* A worker refuses a request of another version. */
#define KG_REQUEST_SCHEMA "kgate.request.v1"
#define KG_RESPONSE_SCHEMA "kgate.response.v1"

/* Exit status of a worker whose time for counting (count_time_ns) ended before its calls. Callgrind's
 * file has the counts so far. */
enum { KG_WORKER_COUNT_CUT = 75 };

enum kg_task {
    KG_TASK_CHECK,    /* set up, run once, check, find the batch; nothing is recorded as timing */
    KG_TASK_ROUND,    /* set up, warm up, measure one round */
    KG_TASK_TURNS,    /* like KG_TASK_ROUND, but in turns, on request */
    KG_TASK_COUNT,    /* set up, run once, count the instructions, or more, of `batch` calls */
    KG_TASK_PROFILE,  /* set up, run once, then for min_time_ns with scopes on */
    KG_TASK_TRACE,    /* on the GPU: set up, run once, trace the device's work of a call */
    KG_TASK_CEILINGS, /* on the GPU: measure its peaks; no workload */
    KG_TASK_CPU_CEILINGS, /* measure the peaks of the CPUs that the process may use; no workload */
    KG_TASK_LIST,         /* list the benchmarks of a command with a format; no set-up */
    KG_TASK_OPEN,         /* find the workload, and check its parameters; no set-up */
};

#define KG_TURN "turn\n"
#define KG_TURN_END "end\n"
#define KG_TURN_READY "ready\n"

struct kg_request {
    enum kg_task task;
    enum kg_source source;
    const char *target;
    const char *entry; /* name of the workload in a plugin */
    bool entry_given;  /* the suite names the entry: no other workload will do */
    struct kg_pair *params;
    size_t param_count;
    const char **command;
    size_t command_count;
    struct kg_command_setting setting; /* of the command */
    struct kg_cuda_call *calls;        /* how a CUDA source is called: one, or none */
    size_t call_count;
    const char *architecture; /* the GPU's, or without a GPU the compiler's target: "sm_90" */
    size_t device;            /* enum kgate_device */
    size_t timing;            /* enum kg_timing, on the GPU */
    uint64_t held_calls;      /* on the GPU: found by the check, as in kg_gpu_call_timing */
    double call_ns;           /* found by the check */
    size_t threads;
    uint64_t seed;
    uint64_t check_seed; /* seed of a check's random choices; 0: the check chooses its own */
    bool check_after;    /* KG_TASK_ROUND, KG_TASK_TURNS: check the result of the timed calls */
    uint64_t memory_limit_bytes;
    double min_time_ns;
    uint64_t iterations; /* calls of a round, at least; 0: the time decides */
    uint64_t warm_calls; /* number of calls before the timed ones, besides the usual calls */
    unsigned metrics;    /* bits 1u << enum kg_metric_kind of the wanted readings */
    uint64_t batch; /* calls per sample; KG_TASK_CHECK: the reference's, to be kept if enough */
    double turn_ns; /* KG_TASK_TURNS */
    uint64_t turn_calls; /* KG_TASK_TURNS with iterations: calls that end a turn before turn_ns */
    bool cold;           /* KG_TASK_TURNS: a command runs without warm-up */
    const char *count_directory; /* KG_TASK_COUNT of a command by Callgrind: folder of its files */
    const char *count_source;    /* KG_TASK_COUNT: "perf" or "callgrind" */
    bool count_lines;            /* KG_TASK_COUNT: cache lines too */
    bool count_core;             /* KG_TASK_COUNT by perf: counts the core's events too */
    const char **count_options;  /* KG_TASK_COUNT of a command: further options of Callgrind */
    size_t count_option_count;
    double count_time_ns; /* KG_TASK_COUNT: ends it early, after some of the calls; 0, NaN: never */
    bool count_cold;      /* KG_TASK_COUNT: counts the first call too */
    bool flush_denormals; /* x86: denormal numbers are 0 in all threads, as operand and result */
    bool huge_pages;      /* asks for huge pages for the process's memory, if possible */
    const char *profile_path;  /* KG_TASK_PROFILE: path of the recording, with "%p" */
    const char *profile_label; /* KG_TASK_PROFILE: label of the recording */
};

/* A figure per call: reported by the workload, or of struct kg_counts. */
struct kg_reported {
    const char *name;
    double value;
};

/* The machine's reading of a metric while a round was timed: a value per call, or the reason why
 * there is none. */
struct kg_reading {
    enum kg_metric_kind metric;
    const char *source; /* "powercap", "nvml", or "none" */
    double value;       /* NaN with a reason */
    const char *reason; /* one sentence; NULL with a value */
};

#define KG_COUNTED_INSTRUCTIONS "instructions"
#define KG_COUNTED_LINE_BYTES "line_bytes"
#define KG_COUNTED_MEMORY_LINE_BYTES "memory_line_bytes"

struct kg_response {
    bool good; /* false: message says why the case failed, or is unavailable here */
    bool unavailable;
    bool last; /* the process takes no more requests, though all went well */
    const char *message;
    double timer_resolution_ns;
    uint64_t batch;        /* KG_TASK_CHECK: calls per sample; KG_TASK_COUNT: counted calls */
    const char *code_hash; /* hash of code that the worker compiled; or NULL */
    struct kg_case_check check;
    double check_ns; /* time of the check after the timed calls; NaN without such a check */
    struct kg_case_work work; /* items, bytes, flops */
    uint64_t allocated_bytes;
    uint64_t harness_bytes;
    double malloc_used_bytes; /* NaN on the GPU and of commands, like the next field */
    double malloc_cached_bytes;
    uint64_t held_calls;      /* KG_TASK_CHECK on the GPU */
    double call_ns;           /* KG_TASK_CHECK on the GPU */
    const char *note;         /* reason to doubt the case's figures; or NULL */
    double device_peak_bytes; /* NaN on the CPU, like the next field */
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

/* The reported figure of this name; NaN if there is none. */
double kg_reported_find(const struct kg_response *response, const char *name);

extern const struct kg_record kg_request_record;
extern const struct kg_record kg_response_record;
