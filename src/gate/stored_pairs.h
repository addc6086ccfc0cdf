/* stored_pairs.h: cases that the stored runs leave open are measured in pairs against the builds behind
 * these runs, in the same gate. A build that cannot be had, or does not run any more, is a note: the
 * case is then decided by the stored runs alone. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "gate/ab.h"

/* What is settled, and with what. All of it must outlive the settling. */
struct kg_settling {
    const struct kg_prepared_suite *what;
    const struct kg_baseline *baseline;
    const char *store;           /* the folder of baselines, whose builds are used */
    const struct kg_build *base; /* for all cases instead; NULL: those of the store */
    const char *directory;       /* for base.json and head.json */
    double budget_ns;            /* of the whole gate; INFINITY: no limit */
    struct kg_progress progress;
};

/* Why builds could not be used, and for which cases. */
struct kg_settled_note {
    const char *why;
    const char *id; /* of the first of them */
    size_t cases;
};

struct kg_settled {
    struct kg_ab pairs;  /* `base` is NULL where no case was measured in pairs */
    size_t unaffordable; /* open cases for which there was no time */
    const char *build;   /* what the pairs are against, in words */
    struct kg_settled_note *notes;
    size_t note_count;
    bool *expected; /* of each case of the plan: whether there is a build that may settle it */
    /* its own */
    const struct kg_baseline_case **stored; /* of each case, with its build; NULL without one */
    struct kg_plan plan;                    /* the cases that are measured in pairs */
    const struct kg_build **builds;         /* of each of them */
    size_t *order;                          /* place of each in the suite's plan */
    size_t note_capacity;
    struct kg_arena arena;
};

/* Finds out for which cases there is a build, without looking at it closely.
 * settled: to be freed with kg_settled_free, also on failure */
void kg_settle_start(const struct kg_settling *settling, struct kg_settled *settled);

/* Measures the open cases of the comparison in pairs, in its order as far as the time allows, and
 * writes base.json and head.json.
 * run  the gate's, which goes on afterwards
 * comparison   of its results so far
 * done         done[i] is set for each case i of the plan that needs no more rounds
 * returns      false where measuring itself broke, or files cannot be written */
bool kg_settle_run(const struct kg_settling *settling, const struct kg_run *run,
                   const struct kg_comparison *comparison, struct kg_settled *settled, bool *done,
                   struct kg_error *err);

/* Puts what the pairs decided into the comparison, and says in notes what could not be settled.
 * results  of the gate, that the comparison was made of */
void kg_settle_merge(const struct kg_settling *settling, struct kg_settled *settled,
                     const struct kg_results *results, struct kg_comparison *comparison);

void kg_settled_free(struct kg_settled *settled);
