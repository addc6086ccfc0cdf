/* stored_pairs.h: measures the cases that the stored runs leave open, in paired rounds against the build behind these
 * runs. If kgate cannot get or run that build, it adds a note, and the stored runs decide the case. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "gate/ab.h"

/* Input of the settling. All of it must outlive the settling. */
struct kg_settling {
    const struct kg_prepared_suite *what;
    const struct kg_baseline *baseline;
    const char *store;           /* folder of the store with its builds */
    const struct kg_build *base; /* build for all cases; NULL: the builds in the store */
    const char *directory;       /* folder for base.json and head.json */
    double budget_ns;            /* budget of the whole gate; INFINITY: no limit */
    struct kg_progress progress;
};

/* A reason why builds could not be used, with the number of cases. */
struct kg_settled_note {
    const char *why;
    const char *id; /* id of the first case */
    size_t cases;
};

struct kg_settled {
    struct kg_ab pairs;  /* `base` is NULL if no case was measured in pairs */
    size_t unaffordable; /* number of open cases without time for pairs */
    const char *build;   /* name of the other build, in words */
    struct kg_settled_note *notes;
    size_t note_count;
    bool *expected; /* one per case of the plan: whether a build may settle it */
    /* internal: */
    /* one per case: the stored case that names a build; or NULL */
    const struct kg_baseline_case **stored;
    struct kg_plan plan;            /* cases to measure in pairs */
    const struct kg_build **builds; /* one per case of `plan` */
    size_t *order;                  /* index of each case in the suite's plan */
    size_t note_capacity;
    struct kg_arena arena;
};

/* Finds the cases with a build, without opening the builds.
 * settled  the caller frees it with kg_settled_free, also on failure */
void kg_settle_start(const struct kg_settling *settling, struct kg_settled *settled);

/* Measures the open cases of the comparison in pairs, in the comparison's order and within the budget. Writes base.json
 * and head.json.
 * run         the gate's run, which continues after this call.
 * comparison  comparison of the run's results so far.
 * done        the function sets done[i] for each case i of the plan that needs no more rounds.
 * returns     false if the measurement fails or a file cannot be written */
bool kg_settle_run(const struct kg_settling *settling, const struct kg_run *run,
                   const struct kg_comparison *comparison, struct kg_settled *settled, bool *done,
                   struct kg_error *err);

/* Merges the decisions of the pairs into the comparison. Adds notes about cases that pairs could not settle.
 * results  the gate's results, the input of `comparison` */
void kg_settle_merge(const struct kg_settling *settling, struct kg_settled *settled,
                     const struct kg_results *results, struct kg_comparison *comparison);

void kg_settled_free(struct kg_settled *settled);
