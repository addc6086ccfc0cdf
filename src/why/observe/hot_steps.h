/* hot_steps.h: the steps of hot_pass.c, made one after the other per case. Internal to
 * why/observe. */
#pragma once
#include <stdbool.h>

#include "run/pass.h"
#include "run/timing/core_events.h"
#include "why/observe/hot_step.h"

/* calls_step.c: a step of the hot pass: the system calls per call of the workload. */

kg_hot_step kg_calls_step;

/* core_step.c: a step of the hot pass: the processor's counters per call, if kgate may read
 * them. */

/* Fills `core` of the case's `hot`. Without counters it fills nothing and stores no reason. */
kg_hot_step kg_core_step;

/* sample_step.c: the first step: samples of the case's threads while it runs. */

/* Starts a worker that runs the workload for the suite's sample_time, and samples it meanwhile.
 * A failure stores its reason in `sampled`. */
kg_hot_step kg_sample_step;

/* experiments.c: measures a case again with one change, interleaved with the unchanged case. So
 * the gain of the change is measured, not guessed. */

/* Tries the changes that may help, by the facts of the case. A change without an effect takes some
 * ten milliseconds.
 * - flush denormal numbers to zero, if its instructions take longer than usual;
 * - use huge pages, if it uses more than a little memory;
 * - keep memory, if the C library returns memory to the kernel and takes it again. */
kg_hot_step kg_experiments_step;

/* repeats_step.c: a step of the hot pass: calls of a function with the arguments of an earlier
 * call. */

/* Fills `repeats` of the case's `hot`. It observes nothing unless earlier steps counted a function
 * that may repeat its work (why/rules/repeat_candidates.h). Runs after the lines step. */
kg_hot_step kg_repeats_step;

/* hot_loops.c: a step of the hot pass: the loops around the hottest addresses. */

/* Runs after the sampling step. */
kg_hot_step kg_loops_step;

/* cpu_counters_pass.c: measures cases on the CPU apart from their rounds, in processes of its
 * own. It measures the time with one thread if a case may use more. It counts cache lines if a
 * case has its instructions counted. It decides nothing and fails no case. */

/* Fills `look` of each such case unless the suite says `trace: no`. `look.reason` says why a
 * measurement is missing. */
extern const struct kg_observer kg_cpu_counters_observer;
