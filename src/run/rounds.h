/* rounds.h: the one loop over rounds: wave after wave, each one round of every case that needs one,
 * in a shuffled order, so that no case always has the same moment of the machine. What a round is,
 * of one build or of two, the caller says. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "run/run.h"

struct kg_rounds {
    struct kg_run *run;      /* whose results hold the rounds that count */
    const size_t *wanted;    /* rounds of each case; 0 leaves it as it is */
    bool confirm;            /* marks the new rounds as confirming */
    double confirm_after_ns; /* before confirming rounds, and from one wave of them to */
    double confirm_apart_ns; /* the next: a burst of a neighbour's must not have all */

    /* Measures one round of a case. */
    bool (*one)(const struct kg_rounds *rounds, size_t index, struct kg_error *err);
    /* Whether the case shares processes with others; NULL: none does. */
    bool (*shares)(const struct kg_run *run, size_t index);
    /* Measures one round of each of those that do, `count` of them. */
    bool (*shared)(const struct kg_rounds *rounds, const size_t *indexes, size_t count,
                   struct kg_error *err);
    void *user;
};

/* Measures until every case has its rounds, disturbed ones not counted (disturbance.h), or is
 * FAILED or SKIPPED, or the run's time is over.
 * returns false where measuring itself broke (err), true otherwise, also when interrupted */
bool kg_rounds_run(const struct kg_rounds *rounds, struct kg_error *err);
