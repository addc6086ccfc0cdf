/* supervise.h: one worker process from start to end: its request, its response, the tail of its
 * standard error, its time-out, its death. */
#pragma once
#include "measure/process.h"

/* Runs a worker to its end. On any ending its whole process group is dead when this returns.
 * outcome: filled on true; kg_outcome_free when done. false where none could be started. */
bool kg_supervise(const struct kg_launch *launch, struct kg_outcome *outcome, struct kg_error *err);
