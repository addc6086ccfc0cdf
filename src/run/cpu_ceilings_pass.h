/* cpu_ceilings_pass.h: the ceilings of a run's CPU: as stored by an earlier run, or measured now by
 * a process of its own. */
#pragma once
#include <stdbool.h>

#include "run/session.h"

/* Fills the CPU's ceilings of the results where a case that may be observed runs on it, and stores
 * what it measured for the next run. To be called after the rounds: their probe tells whether the
 * machine is as fast as when stored ceilings were measured. Ceilings that cannot be measured or
 * stored are no failure: `reason` says why. */
bool kg_cpu_ceilings_pass(const struct kg_session *session, struct kg_error *err);

/* What is known of them without measuring: the results', else an earlier run's, else more than any
 * CPU has. */
void kg_cpu_ceilings_known(const struct kg_session *session, struct kg_cpu_ceilings *ceilings);

/* Those of this run: what was measured days ago, beside who knows what, fails no case. Where the
 * results have none, or an earlier run's, measures them now by a process of case `index`, and stores
 * that; an earlier run's are replaced. Where that cannot be, more than any CPU has. */
bool kg_cpu_ceilings_renew(const struct kg_session *session, size_t index,
                           struct kg_cpu_ceilings *ceilings, struct kg_error *err);
