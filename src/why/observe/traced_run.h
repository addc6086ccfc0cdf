/* traced_run.h: a worker that runs a case in slices (KG_TURN), while a thread of kgate traces it.
 * One thread. */
#pragma once
#include "base/process/process.h"
#include "run/session.h"

struct kg_traced_run {
    struct kg_launch launch;
    struct kg_process process;
    struct kg_outcome outcome;
    uint64_t deadline_ns;  /* of kg_clock_ns: the case's time-out */
    bool command;          /* the worker starts the workload as a program */
    struct kg_arena arena; /* owns the launch */
};

/* Starts the worker.
 * turn_ns  minimum time of a slice
 * batch    calls of the workload per sample; 0: as in the rounds
 * returns  false if no process could be started. The caller then calls kg_traced_run_end, too */
bool kg_traced_run_start(const struct kg_session *session, size_t index, double turn_ns,
                         uint64_t batch, struct kg_traced_run *run, struct kg_error *err);

/* Begins a slice; false: the process is gone. */
bool kg_traced_run_turn(const struct kg_traced_run *run);

/* Waits for a line and removes it. The worker writes one if it is ready, and after each slice. */
enum kg_ending kg_traced_run_line(struct kg_traced_run *run, uint64_t deadline_ns);

/* Ends the worker. Between slices, it ends by itself together with the workload. A command may be
 * in the middle of a file, so kgate lets it finish within the time-out.
 * patience_ns  time for its own end, if it is no command; 0: none */
void kg_traced_run_end(struct kg_traced_run *run, double patience_ns);
