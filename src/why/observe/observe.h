/* observe.h: the observers of a run. They profile its cases apart from the timed rounds. */
#pragma once
#include "base/advice.h"
#include "run/session.h"

/* Observes the cases apart from their rounds, unless the suite says `trace: no`: the ceilings of
 * the GPU, again where its clock has changed since; the counters of cases on the CPU
 * (cpu_counters_pass.c); what each call puts on the GPU. To be called after the rounds, since no
 * verdict depends on it. Stops early when asked to stop.
 * advice  takes a note of each kind of profile that failed; NULL: standard error alone has it */
void kg_observe(const struct kg_session *session, struct kg_advice *advice);

/* Samples the functions of both builds of each wanted case: equal parts, interleaved, in processes of their
 * own. Fills `hot.sampled` of both results, and `hot.system_calls` if these take a tenth of the time. A case that fails is a note. Stops early when asked to stop.
 * base, candidate  sessions of the same plan
 * wanted           per case of the plan */
void kg_observe_sides(const struct kg_session *base, const struct kg_session *candidate,
                      const bool *wanted, struct kg_advice *advice);
