/* observe.h: the observers of a run. They profile its cases apart from the timed rounds. */
#pragma once
#include "base/advice.h"
#include "run/session.h"

/* Observes the cases apart from their rounds, unless the suite says `trace: no`: the GPU's
 * ceilings, measured again if its clock has changed; counters of cases on the CPU
 * (cpu_counters_pass.c); the GPU work of each call. The caller runs it after the rounds, because
 * no verdict depends on it. It stops early on an interrupt.
 * advice  takes a note for each kind of profile that failed; NULL: notes go to standard error
 *         only */
void kg_observe(const struct kg_session *session, struct kg_advice *advice);

/* Samples the functions of both builds of each wanted case: equal parts, interleaved, in
 * processes of their own. Fills `hot.sampled` of both results, and `hot.system_calls` if
 * system calls take a tenth of the time. A failure is a note. It stops early on an interrupt.
 * base, candidate  sessions of the same plan
 * wanted           per case of the plan */
void kg_observe_sides(const struct kg_session *base, const struct kg_session *candidate,
                      const bool *wanted, struct kg_advice *advice);
