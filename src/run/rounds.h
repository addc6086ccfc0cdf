/* rounds.h: the one loop over rounds, wave after wave. Each wave measures one round of every
 * unfinished case. Its order is shuffled, so no case always meets the same moment of the machine.
 * The caller defines a round: of one build, or of two. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "run/run.h"

struct kg_rounds {
    struct kg_run *run;      /* its results hold the rounds that count */
    const size_t *wanted;    /* rounds per case; 0 leaves it as it is */
    bool confirm;            /* marks the new rounds as confirming */
    double confirm_after_ns; /* delay of the first confirming wave */
    double confirm_apart_ns; /* distance of confirming waves: one burst must not hit them all */

    /* Measures one round of a case. */
    bool (*one)(const struct kg_rounds *rounds, size_t index, struct kg_error *err);
    /* Whether the case shares processes with other cases; NULL: none does. */
    bool (*shares)(const struct kg_rounds *rounds, size_t index);
    /* Measures one round of each of the `count` cases that share processes. */
    bool (*shared)(const struct kg_rounds *rounds, const size_t *indexes, size_t count,
                   struct kg_error *err);
    void *user;
};

/* Measures until every case has its rounds, is FAILED or SKIPPED, or the run's time is over.
 * Preempted rounds do not count (disturbance.h).
 * returns false if measuring itself broke (err); true otherwise, also when interrupted */
bool kg_rounds_run(const struct kg_rounds *rounds, struct kg_error *err);
