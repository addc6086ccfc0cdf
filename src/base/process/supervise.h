/* supervise.h: one worker process from start to end: its request, its response, the tail of its
 * standard error, its time-out, its death. */
#pragma once
#include "base/process/process.h"

/* Runs a worker to its end. However it ends, its whole process group is dead when this returns.
 * outcome  filled on success, to be freed with kg_outcome_free
 * returns  false where no process could be started */
bool kg_supervise(const struct kg_launch *launch, struct kg_outcome *outcome, struct kg_error *err);

/* The same for a worker whose arguments ask all: it gets no request, one thread, and no signal is blocked that was not
 * before.
 * program    a kgate
 * arguments  as of execv */
bool kg_supervise_question(const char *program, char *const arguments[], double timeout_ns,
                           struct kg_outcome *outcome, struct kg_error *err);
