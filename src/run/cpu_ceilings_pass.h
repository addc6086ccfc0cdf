/* cpu_ceilings_pass.h: the peaks ("ceilings") of a run's CPU, from the store or measured now by a
 * process of its own. */
#pragma once
#include <stdbool.h>

#include "run/session.h"

/* Fills the CPU's ceilings of the results if kgate may observe a case on the CPU. Stores new
 * measurements for the next run. To be called after the rounds: their probe shows whether the machine
 * is as fast as it was for the stored ceilings. If kgate cannot measure or store ceilings, the pass
 * still succeeds, and `reason` says why. */
bool kg_cpu_ceilings_pass(const struct kg_session *session, struct kg_error *err);

/* The ceilings that are known without measuring: the results', else an earlier run's, else limits
 * above any CPU. */
void kg_cpu_ceilings_known(const struct kg_session *session, struct kg_cpu_ceilings *ceilings);

/* Ceilings measured in this run. Older ceilings must not fail a case: other work may have disturbed
 * them. If the results have none, or an earlier run's, a process of case `index` measures them now.
 * The new ceilings are stored and replace the older ones. If kgate cannot measure them, the function
 * gives limits above any CPU. */
bool kg_cpu_ceilings_renew(const struct kg_session *session, size_t index,
                           struct kg_cpu_ceilings *ceilings, struct kg_error *err);
