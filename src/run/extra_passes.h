/* extra_passes.h: passes over the cases apart from the timed rounds. Each runs processes of its own. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "model/results.h"
#include "run/pass.h"

struct kg_run;

/* count_pass.c: counts the instructions of every case whose suite compares them. Uses processes apart
 * from the timed rounds. */

/* Adds a counter "instructions" to each such case. perf_event counts if this machine allows it, else
 * Valgrind's Callgrind. Without both, the counter has a reason instead of values. */
bool kg_count_pass(const struct kg_session *session, struct kg_error *err);

/* ceilings_pass.c: the peaks of the GPU. */

/* If a case runs on a stream of kgate's, fills the results' ceilings and stores them for the next
 * run. Measures again if the rounds ran at another clock. If it cannot measure, the ceilings
 * have a reason, and the shares of the peak are unknown. */
extern const struct kg_observer kg_ceilings_observer;

/* impossible.c: detects rates that the machine cannot reach. Pure; thread-safe. */

/* Whether a rate of the case exceeds KG_IMPOSSIBLE times the machine's peak. Its FLOP/s are compared
 * with the peak of their arithmetic, if kgate knows it. Its bytes/s are compared, on the CPU, with the
 * first level of cache. On the GPU they are compared with memory, if they do not fit into the L2
 * cache. A case beyond the limit skipped work, or its `describe` is wrong. Doubtful ceilings have a
 * note; their limit is KG_IMPOSSIBLE_DOUBTFUL. Without a known ceiling nothing is impossible.
 * result  summarised, with its shares of the GPU's peaks
 * reason  receives both figures, for the user; unchanged if the result is false */
bool kg_case_impossible(const struct kg_cpu_ceilings *cpu, const struct kg_ceilings *gpu,
                        const struct kg_case_result *result, char *reason, size_t bytes);

/* A factor beyond all errors of measuring: other work, a lower clock or a virtual machine's
 * neighbours can halve a measured peak. */
enum { KG_IMPOSSIBLE = 4 };
/* A factor beyond all errors of peaks that were measured on a busy machine. */
enum { KG_IMPOSSIBLE_DOUBTFUL = 100 };

/* impossible_pass.c: refuses cases whose rates their machine cannot have. */

/* Summarises the results, and makes each case FAILED whose rate is impossible. To be called after
 * the rounds and before the comparison. Rates on the CPU are compared with the results' ceilings. If
 * these are unknown, kgate takes an earlier run's ceilings, else limits that no CPU reaches. Before
 * a case fails by ceilings of another run, kgate measures them again. Rates of another harness's
 * program are not judged: that harness defines its own work.
 * returns  false if measuring broke */
bool kg_impossible_refuse(struct kg_run *run, struct kg_error *err);

/* trace_pass.c: traces the GPU work of every case's calls, in processes apart from the timed
 * rounds. */

/* Fills the trace of each measurable case on a stream of kgate's. Adds the counts of the device's
 * hardware as counters of source "cupti"; reports show them, and no verdict depends on them. Cases
 * that differ only in their timing are traced once. A failure, even a crash, becomes the trace's
 * reason and fails no case. After a time-out kgate traces no more cases. If interrupted, the pass
 * leaves the remaining cases without a trace. */
extern const struct kg_observer kg_trace_observer;

/* profile_pass.c: one extra pass over the cases with scopes on, in processes of their own, after the
 * timed rounds. The recording shows how the time divides; only the rounds measure the time itself. */

/* Runs every measured case once more and joins the recordings of all processes into one file at
 * `path`. Each process is labelled with its case's id. results->profile becomes the file's name
 * without the folder. A command built without the profiler adds nothing. If no case adds anything,
 * no file is made, and results->no_profile has the reason. If interrupted, the pass keeps the
 * recordings so far. Only a complete recording replaces an old one.
 * returns  false without a recording (err); the results stay as before */
bool kg_profile_pass(const struct kg_session *session, const char *path, struct kg_error *err);

/* "DIR/results.json" -> "DIR/results.kgprof"; in `arena`. */
char *kg_profile_beside(struct kg_arena *arena, const char *results_path);
