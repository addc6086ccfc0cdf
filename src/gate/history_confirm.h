/* history_confirm.h: decides suspected changes of a history on their machine: `ab` of the kept builds on either side.
 * If the builds differ as the change says, it is confirmed and the code is the cause. If they are alike, it is refuted.
 * Else it stays suspected. Each decision is stored before the next measurement begins, so a killed process loses
 * none. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "gate/ab.h"
#include "judge/history/history.h"

/* State of a change after a confirmation. */
enum kg_confirming {
    KG_CONFIRMING_ABLE,    /* both builds are kept; not measured yet */
    KG_CONFIRMING_UNABLE,  /* the suite lacks the case, or no build is kept */
    KG_CONFIRMING_DECIDED, /* `decision` is stored */
    KG_CONFIRMING_OPEN,    /* measured without a decision, or --budget left no time */
    KG_CONFIRMING_FAILED,  /* a build failed */
};

struct kg_confirmation {
    const struct kg_history_suspect *suspect;
    const struct kg_case *planned; /* NULL: the suite lacks it */
    const struct kg_history_build *builds[KG_HISTORY_SIDES];
    enum kg_confirming outcome;
    const char *reason;                  /* of UNABLE, OPEN and FAILED; else NULL */
    struct kg_history_decision decision; /* without a decision only the seconds are stored */
    bool is_regression;                  /* a confirmed change for the worse */
    bool is_done;                        /* internal: the caller knows the outcome */
};

struct kg_confirm_options {
    const char *history; /* for kg_history_open */
    const char *store;   /* folder of the store with its builds */
    double budget_ns;    /* for all measurements; INFINITY: no limit */
    struct kg_progress progress;
    /* Called after each outcome. The change has the decision already. */
    void (*done)(void *user, const struct kg_confirmation *confirmation);
    void *user;
};

/* Finds case and builds of each suspect, without opening a build.
 * arena    owns the array of `count` confirmations
 * what     suite of the changes; must outlive them */
struct kg_confirmation *
kg_confirmations_make(struct kg_arena *arena, const struct kg_prepared_suite *what,
                      const char *store, const struct kg_history_suspect *suspects, size_t count);

/* Measures and decides. Changes of one case between the same builds share a measurement. The threshold is half of the
 * change, or the suite's if that is smaller. The number of tests is that of all changes that can be measured.
 * arena    owns the strings of the outcomes
 * signal   signal that stopped the measurement, or 0
 * returns  false if the history cannot be written, or the measurement is impossible on this machine */
bool kg_confirmations_run(struct kg_arena *arena, const struct kg_prepared_suite *what,
                          const struct kg_confirm_options *options,
                          struct kg_confirmation *confirmations, size_t count, int *signal,
                          struct kg_error *err);

/* Exit status of decided changes: the first of 3, 1 and 4 that holds. Without a kept build a change stays suspected for
 * good, so it fails no job. */
int kg_confirmations_status(const struct kg_confirmation *rows, size_t count);
