/* hot_steps.h: the observations of one case that hot_pass.c makes, one after the other. Internal to why/observe. */
#pragma once
#include <stdbool.h>

#include "run/pass.h"
#include "run/timing/core_events.h"
#include "why/observe/hot_step.h"

/* calls_step.c: a step of the hot pass: the system calls that a call of the workload makes. */

kg_hot_step kg_calls_step;

/* core_step.c: a step of the hot pass: what the processor's counters say of a call, where it has
 * any that may be read. */

/* Fills `core` of the case's `hot`; without counters nothing, and no reason. */
kg_hot_step kg_core_step;

/* sample_step.c: the first look at a case: samples of its threads while it runs. */

/* Starts a worker that runs the workload for the suite's sample_time, and samples it meanwhile. What
 * goes wrong there is the reason in `sampled`. */
kg_hot_step kg_sample_step;

/* experiments.c: measures a case again with one thing changed, turn by turn with itself: what a
 * change would gain is then measured, not guessed. */

/* Tries what may gain by what is known of the case: flushing denormal numbers to zero where its
 * instructions take longer than instructions do; huge pages where it works on more than a little
 * memory; keeping memory that the C library gives back to the kernel and takes again.
 * Some ten milliseconds each where nothing moves. */
kg_hot_step kg_experiments_step;

/* hot_loops.c: a step of the hot pass: the loops around the hottest addresses. */

/* After the samples. */
kg_hot_step kg_loops_step;

/* cpu_counters_pass.c: looks at cases on the CPU apart from their timed rounds, in processes of
 * their own: the time with one thread of what may use more, and the cache lines of what has its
 * instructions counted. Decides nothing, and fails no case. */

/* Fills `look` of every such case unless the suite says `trace: no`. `look.reason` says what could
 * not be measured. */
extern const struct kg_observer kg_cpu_counters_observer;
