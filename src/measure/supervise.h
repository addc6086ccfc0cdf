/* supervise.h: one worker process from start to end: fork and exec of kgate itself, its request,
 * its response, the tail of its standard error, its time-out, its death. */
#pragma once
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"
#include "util/text.h"

enum { KG_STDERR_TAIL_MOST = 4096 };

struct kg_launch {
    const char *program; /* path of kgate's executable */
    const char *request; /* text for its standard input */
    size_t request_length;
    uint64_t threads; /* for OMP_NUM_THREADS and its like */
    int pin;          /* CPU to run on, or -1 */
    double timeout_ns;
    const sigset_t *mask; /* signal mask of the worker, and while waiting */
};

enum kg_ending { KG_ENDED_EXIT, KG_ENDED_SIGNAL, KG_ENDED_TIMEOUT, KG_ENDED_INTERRUPT };

struct kg_outcome {
    enum kg_ending ending;
    int code;           /* exit status or signal */
    bool out_of_memory; /* the kernel's count of out-of-memory kills rose meanwhile */
    struct kg_text response;
    char tail[KG_STDERR_TAIL_MOST +
              1]; /* the last of its standard error, whole lines where it can */
};

/* Runs a worker to its end. On any ending its whole process group is dead when this returns.
 * outcome: filled on true; kg_outcome_free when done. false where none could be started. */
bool kg_supervise(const struct kg_launch *launch, struct kg_outcome *outcome, struct kg_error *err);
void kg_outcome_free(struct kg_outcome *outcome);
