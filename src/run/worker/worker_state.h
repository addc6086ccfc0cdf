/* worker_state.h: the state of a worker process. worker.c sets the workload up and answers.
 * worker_workload.c opens the workload. worker_tasks.c does the request's task. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/cpu/placing.h"
#include "run/timing/counting.h"
#include "run/timing/timed_loop.h"
#include "run/worker/protocol.h"
#include "run/worker/worker_gpu.h"
#include "suite/adapters/adapter.h"
#include "suite/sources/command.h"
#include "suite/sources/params.h"
#include "suite/sources/plugin_host.h"
#include "suite/sources/source.h"

/* readings.c: the machine's readings of a metric while a round is timed. Counters are read before and
 * after each timed piece of the round, never inside a piece. One thread. */

enum { KG_PACKAGES_MOST = 16, KG_READINGS_MOST = 4, KG_READING_WHY = 200 };

/* The energy counters of the CPU's packages (RAPL), as Linux's powercap shows them. */
struct kg_powercap {
    char root[256];
    size_t packages;
    int numbers[KG_PACKAGES_MOST]; /* of intel-rapl:N */
    double range_j[KG_PACKAGES_MOST];
    double last_j[KG_PACKAGES_MOST];
    double used_j;
};

/* Finds the packages' counters below `root` ("": this machine).
 * why      receives on failure one sentence
 * returns  false if this process may read no counter */
bool kg_powercap_open(const char *root, struct kg_powercap *powercap, char why[KG_READING_WHY]);

/* Joules used by all packages since kg_powercap_open. A counter restarts at 0 at the end of its
 * range, after minutes at the least. The function corrects one restart between two calls. NaN if a
 * counter can no longer be read. */
double kg_powercap_read(struct kg_powercap *powercap);

struct kg_worker;
struct kg_reader;

struct kg_readings {
    struct kg_powercap powercap;
    struct kg_tally {
        const struct kg_reader *reader; /* NULL: no reader has the metric; `why` has the reason */
        enum kg_metric_kind metric;
        double before, sum;
        char why[KG_READING_WHY];
    } tallies[KG_READINGS_MOST];
    size_t count;
};

/* Opens the readers of the metrics that the request wants. */
void kg_readings_open(struct kg_worker *worker);
/* Around each timed piece. */
void kg_readings_begin(struct kg_worker *worker);
void kg_readings_end(struct kg_worker *worker);
/* Puts the readings into the response: sums divided by the round's calls. */
void kg_readings_collect(struct kg_worker *worker);

enum { REQUEST_MOST = 16 * 1024 * 1024 };

/* A program of another benchmark harness: worker_harness.c. */
struct kg_harness {
    struct kg_foreign_run run; /* the benchmark */
    int file;                  /* output of the benchmark in memory; -1: in `folder` */
    char folder[64]; /* folder of its output and of files beside it, during a process; else "" */
    char path[128];
    double cpu_ns;   /* CPU time per call, summed over the processes */
    uint64_t runs;   /* number of processes */
    double calls;    /* calls that the processes timed */
    double timed_ns; /* time of these calls */
    double
        clock_hz; /* the GPU's clock and cycles per call, summed over the processes; NaN or 0: unknown */
    double cycles;
};

struct kg_worker {
    struct worker_gpu gpu; /* kept across requests; all other fields belong to one request */
    struct kg_arena arena;
    struct kg_request request;
    struct kg_response response;
    struct kg_host host;
    struct kgate_value values[KG_PARAMS_MOST];
    struct kg_source_opening opening;
    const struct kgate_workload *workload; /* NULL for a command */
    void *state;
    bool torn_down; /* `state` is no longer valid */
    struct kg_command_run command;
    bool cleanup_due;          /* the setup of the command has run */
    struct kg_harness harness; /* if the request has a format */
    struct kg_sampler sampler;
    struct kg_placing placing;
    double settled_again_ns; /* time spent on placing threads between samples */
    struct kg_counting counting;
    struct kg_core_counting core; /* if the request has count_core */
    struct kg_readings readings;
    struct kg_waiting waiting;
    struct kg_reported reported[KG_REPORTS_MOST + 1];
    int counters_file; /* receives the counters of a command; -1: none */
    double buffer[KG_SAMPLES_MOST];
};

/* Does the request's task and fills the response. */
bool kg_worker_task(struct kg_worker *worker, struct kg_error *err);

/* Opens the request's workload, and stores the work per call that it describes. */
bool kg_worker_workload_open(struct kg_worker *worker, struct kg_error *err);

/* Prepares a program of the request. If the program fails, the worker ends with a response. */
struct kg_command_run kg_worker_command(struct kg_worker *worker, const char **words);

/* Sets the seed of the workload's later checks; 0: leaves it unchanged. */
void kg_worker_check_seed(uint64_t seed);

/* Makes an untimed call. */
void kg_worker_call(struct kg_worker *worker);

/* A command with a format: worker_harness.c. */
bool kg_worker_has_harness(const struct kg_worker *worker);
/* Makes the command measure its one benchmark. */
bool kg_worker_harness_open(struct kg_worker *worker, struct kg_error *err);
/* A call: kg_command_time, after making the output folder. state: the worker's kg_command_run */
void kg_worker_harness_call(void *state);
/* Removes a process's files outside memory. */
void kg_worker_harness_close(struct kg_worker *worker);
/* The time of a call, as measured by the last process. Without such a time the worker ends. */
double kg_worker_harness_ns(void *owner);
/* Replaces the round's figures that the harness measures better than its parent process. */
void kg_worker_harness_record(const struct kg_worker *worker, struct kg_round *round);
/* KG_TASK_LIST: its benchmarks' names. */
bool kg_worker_harness_list(struct kg_worker *worker, struct kg_error *err);

/* Figures of a command: output_figures.c. The first function prepares its standard output before its
 * calls, if a figure needs it. The second one reads the figures of the last call. */
bool kg_worker_output_open(struct kg_worker *worker, struct kg_error *err);
bool kg_worker_output_figures(struct kg_worker *worker, struct kg_error *err);
/* Copies the last output of a failed command to the worker's own standard output. */
void kg_worker_output_show(const struct kg_worker *worker);

/* KG_TASK_COUNT: count_task.c. */
bool kg_worker_count(struct kg_worker *worker, struct kg_error *err);
/* Handles the signal from now on, and unblocks it. */
void kg_worker_signal_take(int number, void (*handler)(int));

/* Writes to the process that sent the request; false if it no longer reads. */
bool kg_worker_send(const char *text);

/* Whether the request's work goes onto a CUDA stream. */
bool kg_worker_on_stream(const struct kg_worker *worker);

/* Makes an error of the message that a step of the workload set. */
bool kg_worker_host_error(struct kg_worker *worker, const char *step, struct kg_error *err);

/* A figure of /proc/self/status in bytes; 0 if it is missing. */
uint64_t kg_worker_status_bytes(const char *key);
