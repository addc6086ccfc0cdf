/* pairing.h: two builds, measured turn by turn. In a round each build has a fresh process on the
 * same CPU. The two take turns of half a millisecond to four: base, head, head, base, then the
 * other way round. A disturbance that lasts longer than a turn therefore hits both. kgate compares
 * the ratio of the two medians of a round. Builds that fail at their start side by side, as two users
 * of one port do, have whole rounds one after the other. One pairing at a time in a process, as with
 * measurements. */
#pragma once
#include <stdbool.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/sha256.h"
#include "run/build.h"
#include "run/run.h"
#include "suite/plan.h"

/* watched_files.c: the programs and plugins of the cases, as they were before anything of the
 * candidate ran. A candidate runs as the same user, so it could write over the base's program. */

struct kg_watched_file {
    const char *path; /* NULL: the case has no file, as one that kgate compiles */
    struct stat facts;
    bool by_contents; /* `setup` may build the file again: only its contents count */
    char hash[KG_SHA256_DIGITS + 1];
};

/* The file of every case of the plan, in `arena`.
 * builds   of each case, NULL instead of this kgate; NULL: this kgate for all */
struct kg_watched_file *kg_watched_files_make(struct kg_arena *arena, const struct kg_plan *plan,
                                              const struct kg_build *const *builds);

/* The file as it is now: from here on no write is its `setup`'s. */
struct kg_watched_file kg_watched_file_again(const struct kg_watched_file *file);

/* Whether the file was written, replaced or removed since. */
bool kg_watched_file_changed(const struct kg_watched_file *file);

struct kg_pairing {
    struct kg_run base;
    struct kg_run head; /* its rounds carry base_ratio */
    struct kg_interrupt own_interrupt;
    struct kg_interrupt *interrupt;
    const bool *alone; /* as in struct kg_pairing_options; must outlive the pairing */
    bool *apart;       /* cases whose builds cannot run side by side: one side's round ends first */
    struct kg_watched_file *base_files; /* of each case, as they were before the candidate ran */
    struct kg_watched_file *head_files;
};

struct kg_pairing_options {
    const char *base_path; /* where the results will be written, as results_path; or NULL */
    const char *head_path;
    const char *filter;
    struct kg_progress progress;
    const struct kg_build *const *bases;     /* of each case, as struct kg_run_options has it */
    const struct kg_build *const *heads;     /* likewise; NULL: this kgate for all */
    const enum kg_unchanged_code *unchanged; /* of each case; NULL: all are measured */
    const bool *alone; /* cases that the base's suite does not have: the base does not run them, and
                        * the head measures them without pairs; or NULL */
    size_t tests;      /* as struct kg_results has it */
    struct kg_interrupt *interrupt; /* of the caller's; NULL: the pairing's own */
};

/* Checks every case in both builds, the base first. A case that the base cannot do by itself is
 * SKIPPED and unpaired in the head's results, with the reason; one that only the head cannot do is FAILED. On
 * failure nothing is held. */
bool kg_pairing_begin(struct kg_pairing *pairing, const struct kg_prepared_suite *what,
                      const struct kg_pairing_options *options, struct kg_error *err);

/* Whether the head measures the case without the base. */
bool kg_pairing_alone(const struct kg_pairing *pairing, size_t index);

/* Sets the time that each side measures in the case's next rounds. */
void kg_pairing_round_set(struct kg_pairing *pairing, size_t index, double round_ns);

/* As kg_run_rounds, of both builds together. A case is FAILED if the program or plugin of a
 * side has changed since measuring began. */
bool kg_pairing_rounds(struct kg_pairing *pairing, const size_t *wanted, bool confirm,
                       struct kg_error *err);

/* Summaries of both so far. */
void kg_pairing_summarize(struct kg_pairing *pairing);
void kg_pairing_end(struct kg_pairing *pairing);
void kg_pairing_free(struct kg_pairing *pairing);

/* --- Of the room: pairing_round.c and pairing.c ------------------------------------------------ */

extern const char *const kg_side_names[]; /* base, head */

/* One round of one case in both builds. A process that fails makes the case FAILED, which is no
 * failure of the call. */
bool kg_pairing_round(struct kg_pairing *pairing, size_t index, bool confirm, struct kg_error *err);

/* What becomes of a case that one build cannot measure. To be called once when a side cannot be
 * measured any more.
 * head_began  something of the head has run */
bool kg_pairing_join(struct kg_pairing *pairing, size_t index, bool head_began,
                     struct kg_error *err);

/* Makes the case FAILED, because that side's file changed while it was measured. */
bool kg_pairing_file_fail(struct kg_pairing *pairing, size_t index, size_t side,
                          const struct kg_watched_file *file, struct kg_error *err);
