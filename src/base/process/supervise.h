/* supervise.h: runs one worker process from start to end: request, response, tail of standard
 * error, time-out, death. */
#pragma once
#include "base/process/process.h"

/* A worker that was started, until kg_supervise_finish. */
struct kg_supervised {
    struct kg_process process;
    uint64_t deadline_ns; /* of kg_clock_ns */
    uint64_t kills;       /* kg_out_of_memory_kills before the start */
};

/* Starts a worker. Several may run at once.
 * returns  false if no process could be started; then nothing is to be finished */
bool kg_supervise_start(const struct kg_launch *launch, struct kg_supervised *worker,
                        struct kg_error *err);

/* Waits for the worker's end, as kg_supervise does.
 * launch   as at the start */
void kg_supervise_finish(const struct kg_launch *launch, struct kg_supervised *worker,
                         struct kg_outcome *outcome);

/* Runs a worker to its end. However it ends, its whole process group is dead when this returns.
 * outcome  filled on success, to be freed with kg_outcome_free
 * returns  false if no process could be started */
bool kg_supervise(const struct kg_launch *launch, struct kg_outcome *outcome, struct kg_error *err);

/* The same for a worker with its whole request in its arguments. The worker gets no input, one
 * thread, and the caller's signal mask.
 * program    a kgate
 * arguments  as of execv */
bool kg_supervise_question(const char *program, char *const arguments[], double timeout_ns,
                           struct kg_outcome *outcome, struct kg_error *err);
