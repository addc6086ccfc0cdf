/* worker_state.h: a worker process's own state, for worker.c, which sets the workload up and
 * answers, worker_workload.c, which opens it, and worker_tasks.c, which does with it what is asked. */
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

/* readings.c: what the machine counts of a metric while a round is timed. Counters are read
 * before and after each timed piece of the round, never inside one. One thread. */

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
 * why      on failure one sentence
 * returns  false where there is none that this process may read */
bool kg_powercap_open(const char *root, struct kg_powercap *powercap, char why[KG_READING_WHY]);

/* Joules used by all packages since kg_powercap_open. Counters start again from 0 at the end of
 * their range, after minutes at the least; a wrap between two calls is accounted for. NaN where
 * a counter can no longer be read. */
double kg_powercap_read(struct kg_powercap *powercap);

struct kg_worker;
struct kg_reader;

struct kg_readings {
    struct kg_powercap powercap;
    struct kg_tally {
        const struct kg_reader *reader; /* NULL: nothing here tells; `why` says so */
        enum kg_metric_kind metric;
        double before, sum;
        char why[KG_READING_WHY];
    } tallies[KG_READINGS_MOST];
    size_t count;
};

/* Opens what tells the metrics that the request wants. */
void kg_readings_open(struct kg_worker *worker);
/* Around each timed piece. */
void kg_readings_begin(struct kg_worker *worker);
void kg_readings_end(struct kg_worker *worker);
/* Into the response: sums divided by the round's calls. */
void kg_readings_collect(struct kg_worker *worker);

enum { REQUEST_MOST = 16 * 1024 * 1024 };

/* A program of another benchmark harness: worker_harness.c. */
struct kg_harness {
    struct kg_foreign_run run; /* the benchmark */
    int file;                  /* in memory, that it writes; or */
    char folder[64]; /* the folder for it and those beside it, while a process runs; else "" */
    char path[128];
    double cpu_ns; /* a call, summed over the processes */
    uint64_t runs; /* of them */
    double calls;  /* that they timed, and how long those took */
    double timed_ns;
};

struct kg_worker {
    struct worker_gpu gpu; /* kept from one request to the next; what follows is of one */
    struct kg_arena arena;
    struct kg_request request;
    struct kg_response response;
    struct kg_host host;
    struct kgate_value values[KG_PARAMS_MOST];
    struct kg_source_opening opening;
    const struct kgate_workload *workload; /* NULL for a command */
    void *state;
    bool torn_down; /* there is no state any more */
    struct kg_command_run command;
    bool cleanup_due;          /* of the command: its setup has run */
    struct kg_harness harness; /* where the request has a format */
    struct kg_sampler sampler;
    struct kg_placing placing;
    double settled_again_ns; /* spent on that between samples */
    struct kg_counting counting;
    struct kg_core_counting core; /* where the request says count_core */
    struct kg_readings readings;
    struct kg_waiting waiting;
    struct kg_reported reported[KG_REPORTS_MOST + 1];
    int counters_file; /* that a command writes its counters to; -1: none */
    double buffer[KG_SAMPLES_MOST];
};

/* Does the request's task and fills the response. */
bool kg_worker_task(struct kg_worker *worker, struct kg_error *err);

/* Opens the workload that the request names, and notes what it says of a call's work. */
bool kg_worker_workload_open(struct kg_worker *worker, struct kg_error *err);

/* A program of the request's, to be started; its failure ends the worker with a response. */
struct kg_command_run kg_worker_command(struct kg_worker *worker, const char **words);

/* What the workload's check draws by, from here on; 0: left as it is. */
void kg_worker_check_seed(uint64_t seed);

/* A call that nobody times. */
void kg_worker_call(struct kg_worker *worker);

/* A command with a format: worker_harness.c. */
bool kg_worker_has_harness(const struct kg_worker *worker);
/* Makes the command measure its one benchmark. */
bool kg_worker_harness_open(struct kg_worker *worker, struct kg_error *err);
/* A call: kg_command_time, with what its process needs to write. state: the worker's kg_command_run */
void kg_worker_harness_call(void *state);
/* Removes what a process has left outside memory. */
void kg_worker_harness_close(struct kg_worker *worker);
/* The time of a call, as the last process has measured it; ends the worker where it has not. */
double kg_worker_harness_ns(void *owner);
/* Puts into the round what the harness knows better than who starts its processes. */
void kg_worker_harness_record(const struct kg_worker *worker, struct kg_round *round);
/* KG_TASK_LIST: its benchmarks' names. */
bool kg_worker_harness_list(struct kg_worker *worker, struct kg_error *err);

/* Figures of a command: output_figures.c. The first before its calls, where its standard output is to be
 * read; the second reads them of the last call. */
bool kg_worker_output_open(struct kg_worker *worker, struct kg_error *err);
bool kg_worker_output_figures(struct kg_worker *worker, struct kg_error *err);
/* Of a command that failed: the last that it wrote there, to the worker's own standard output. */
void kg_worker_output_show(const struct kg_worker *worker);

/* KG_TASK_COUNT: count_task.c. */
bool kg_worker_count(struct kg_worker *worker, struct kg_error *err);
/* From now on the signal is handled, and not blocked. */
void kg_worker_signal_take(int number, void (*handler)(int));

/* Writes to whoever asked; false where nobody listens. */
bool kg_worker_say(const char *text);

/* Whether the request's work goes onto a CUDA stream. */
bool kg_worker_on_stream(const struct kg_worker *worker);

/* An error with the message that a step of the workload left. */
bool kg_worker_host_error(struct kg_worker *worker, const char *step, struct kg_error *err);

/* A figure of /proc/self/status in bytes; 0 where it is not there. */
uint64_t kg_worker_status_bytes(const char *key);
