/* supervise.h: runs one worker process from start to end: request, response, tail of standard
 * error, time-out, death. */
#pragma once
#include "base/process/process.h"

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
