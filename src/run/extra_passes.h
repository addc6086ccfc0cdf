/* extra_passes.h: passes over the cases apart from the timed rounds. Each runs processes of its own. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "model/results.h"
#include "run/pass.h"

struct kg_run;

/* count_pass.c: counts the instructions of every case whose suite compares them, in processes apart
 * from the timed rounds. */

/* Adds a counter "instructions" to each such case: counted by perf_event where this machine allows
 * it, else by Valgrind's Callgrind. Where there is neither, the counter has no values, but a
 * reason. */
bool kg_count_pass(const struct kg_session *session, struct kg_error *err);

/* ceilings_pass.c: the peaks of the GPU. */

/* Fills the ceilings of the results if a case runs on a stream of kgate's, and stores them for the next run.
 * After rounds at another clock it measures again. If it cannot measure, the ceilings have a reason, and the
 * shares of the peak are unknown. */
extern const struct kg_observer kg_ceilings_observer;

/* impossible.c: whether a case's rates are ones that its machine can have. Pure; thread-safe. */

/* Whether a rate of the case is above KG_IMPOSSIBLE times what the machine is capable of: its floating-point operations, where they are multiply-adds in single precision or tensor
 * cores'; its bytes, on the CPU by the first level of cache, on the GPU by memory, where they do not
 * fit into the L2 cache. Such work was not done, or is not what `describe` says. Where ceilings have a
 * note that makes them doubtful, it is KG_IMPOSSIBLE_DOUBTFUL times; where one is not known, nothing
 * is impossible.
 * result  summarised, with its shares of the GPU's ceilings
 * reason  both figures, for the user; unchanged where false is returned */
bool kg_case_impossible(const struct kg_cpu_ceilings *cpu, const struct kg_ceilings *gpu,
                        const struct kg_case_result *result, char *reason, size_t bytes);

/* Beyond what measuring can be off by: other work, a clock that falls, a virtual machine's
 * neighbours can make a ceiling half of what it is on another day. */
enum { KG_IMPOSSIBLE = 4 };
/* Beyond what ceilings that were measured on a busy machine can be off by. */
enum { KG_IMPOSSIBLE_DOUBTFUL = 100 };

/* impossible_pass.c: refuses cases whose rates their machine cannot have. */

/* Summarises the results, and makes each case FAILED whose rate is impossible: after
 * rounds, and before they are compared. Rates on the CPU are judged by the results' ceilings; where
 * they have none, by what an earlier run measured, else by what no CPU reaches. Ceilings that are not
 * of this run are measured before they fail a case. Rates of another harness's program are its own
 * notion of work, and not judged.
 * returns  false where measuring broke */
bool kg_impossible_refuse(struct kg_run *run, struct kg_error *err);

/* trace_pass.c: what the calls of every case on the GPU put on the device, found by processes apart
 * from the timed rounds. */

/* Fills the trace of each case that is on a stream of kgate's and can be measured, and adds what
 * the device's hardware counted: counters of source "cupti", which are shown, not judged. Cases
 * that differ in their timing alone are traced once. Whatever goes wrong, a crash included, is said
 * in the trace's reason and fails no case; after a time-out no more are traced. Interrupted, it leaves
 * the remaining cases without. */
extern const struct kg_observer kg_trace_observer;

/* profile_pass.c: one extra pass over the cases with scopes on, in processes of their own, after
 * the timed rounds. It records where the time goes; how much it is, only the rounds say. */

/* Runs every measured case once more and joins what its processes recorded into one recording at
 * `path`, in which each process is labelled with its case's id; results->profile becomes its name
 * without the folder. A command that is not built with the profiler adds nothing; where no case adds
 * anything, no file is made and results->no_profile says why. Interrupted, it keeps what there is. An
 * old recording is replaced only by a complete one.
 * returns  false where there is no recording (err); the results are as good as before it */
bool kg_profile_pass(const struct kg_session *session, const char *path, struct kg_error *err);

/* "DIR/results.json" -> "DIR/results.kgprof"; in `arena`. */
char *kg_profile_beside(struct kg_arena *arena, const char *results_path);
