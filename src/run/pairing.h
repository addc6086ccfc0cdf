/* pairing.h: paired rounds of two builds. In a round each build has a fresh process on the same CPU.
 * The two processes alternate in turns of 0.5 to 4 ms: base, head, head, base, then the reverse. A
 * disturbance that lasts longer than a turn therefore hits both. kgate compares the ratio of the two
 * medians of a round. Some builds fail at their start side by side, for example two users of one
 * port. They measure whole rounds one after the other. On the GPU the cases of a wave share a pair of
 * processes, since a CUDA context takes longer to make than a round. A process has one pairing at a
 * time, like a run. */
#pragma once
#include <stdbool.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/sha256.h"
#include "run/build.h"
#include "run/run.h"
#include "suite/plan.h"

/* watched_files.c: the programs and plugins of the cases, before the candidate ran. A candidate runs
 * as the same user, so it could write over the base's program. */

struct kg_watched_file {
    const char *path; /* NULL: the case has no file, for example because kgate compiles it */
    struct stat facts;
    bool by_contents; /* `setup` may build the file again: only its contents count */
    char hash[KG_SHA256_DIGITS + 1];
};

/* Reads the present state of each case's file. The array lives in `arena`.
 * builds   per case, NULL instead of this kgate; NULL: this kgate for all */
struct kg_watched_file *kg_watched_files_make(struct kg_arena *arena, const struct kg_plan *plan,
                                              const struct kg_build *const *builds);

/* Reads the file's state again, after its `setup`: every later write counts as a change. */
struct kg_watched_file kg_watched_file_again(const struct kg_watched_file *file);

/* Whether the file was written, replaced or removed after its state was read. */
bool kg_watched_file_changed(const struct kg_watched_file *file);

struct kg_pairing {
    struct kg_run base;
    struct kg_run head; /* its rounds carry base_ratio */
    struct kg_interrupt own_interrupt;
    struct kg_interrupt *interrupt;
    const bool *alone; /* as in struct kg_pairing_options; must outlive the pairing */
    bool *apart;       /* cases whose builds cannot run side by side: one side's round ends first */
    struct kg_watched_file *base_files; /* per case, before the candidate ran */
    struct kg_watched_file *head_files;
};

struct kg_pairing_options {
    const char *base_path; /* future path of the results; or NULL */
    const char *head_path;
    const char *filter;
    struct kg_progress progress;
    const struct kg_build *const *bases;     /* per case, as in struct kg_run_options */
    const struct kg_build *const *heads;     /* per case; NULL: this kgate for all */
    const enum kg_unchanged_code *unchanged; /* per case; NULL: all are measured */
    const bool *alone; /* cases that the base's suite lacks: only the head measures them, without
                        * pairs; or NULL */
    size_t tests;      /* as in struct kg_results */
    struct kg_interrupt *interrupt; /* the caller's; NULL: the pairing's own */
};

/* Checks every case in both builds, the base first. If the base alone cannot do a case, the head's
 * result is SKIPPED and unpaired, with the reason. If only the head cannot do a case, it is FAILED. A
 * failure leaves nothing to free. */
bool kg_pairing_begin(struct kg_pairing *pairing, const struct kg_prepared_suite *what,
                      const struct kg_pairing_options *options, struct kg_error *err);

/* Whether the head measures the case without the base. */
bool kg_pairing_alone(const struct kg_pairing *pairing, size_t index);

/* Sets the time that each side measures in the case's next rounds. */
void kg_pairing_round_set(struct kg_pairing *pairing, size_t index, double round_ns);

/* Like kg_run_rounds, for both builds together. A case is FAILED if the program or plugin of a side
 * has changed since measuring began. */
bool kg_pairing_rounds(struct kg_pairing *pairing, const size_t *wanted, bool confirm,
                       struct kg_error *err);

/* Summarises the results of both so far. */
void kg_pairing_summarize(struct kg_pairing *pairing);
void kg_pairing_end(struct kg_pairing *pairing);
void kg_pairing_free(struct kg_pairing *pairing);

/* --- Of the room: pairing_round.c and pairing.c ------------------------------------------------ */

extern const char *const kg_side_names[]; /* base, head */

/* One round of one case in both builds. A process that fails makes the case FAILED; the function still
 * returns true. */
bool kg_pairing_round(struct kg_pairing *pairing, size_t index, bool confirm, struct kg_error *err);

/* Whether the case can share its two processes with other cases: it is on the GPU, and has no command
 * before or after. */
bool kg_pairing_shares(const struct kg_pairing *pairing, size_t index);

/* One round of each of the cases, which share a pair of processes as long as all goes well. After a failure the next
 * case gets a new pair. Adds each case's time to the head's elapsed_ns. */
bool kg_pairing_shared_rounds(struct kg_pairing *pairing, const size_t *indexes, size_t count,
                              bool confirm, struct kg_error *err);

/* Sets the status of a case that one build cannot measure. To be called once, when a side becomes
 * unmeasurable.
 * head_began  whether any code of the head has run */
bool kg_pairing_join(struct kg_pairing *pairing, size_t index, bool head_began,
                     struct kg_error *err);

/* Makes the case FAILED, because that side's file changed while it was measured. */
bool kg_pairing_file_fail(struct kg_pairing *pairing, size_t index, size_t side,
                          const struct kg_watched_file *file, struct kg_error *err);
