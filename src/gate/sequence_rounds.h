/* sequence_rounds.h: which rounds each case of a sequence gets next: how many, and how long.
 * Internal to the sequence. */
#pragma once
#include "gate/sequence.h"

struct kg_runner {
    const struct kg_sequence *sequence;
    const struct kg_baseline *baseline;
    const struct kg_results *results;
    struct kg_comparison *comparison;
    struct kg_error *err;
    size_t *wanted;
    struct kg_round_plan *plans; /* of each case, as of the last look */
    bool *done;                  /* cases that other means have settled */
    bool asked;                  /* whether these were asked */
    bool *cut;                   /* cases whose next rounds the budget had no time for */
    size_t *base_rounds;         /* of each case, all that its reference has */
    size_t rounds;               /* that all cases have, as of the last look */
    size_t tests;                /* made together, as Holm's method counts them */
};

/* Fills base_rounds, once. false where memory is out. */
bool kg_runner_references_count(struct kg_runner *runner);

/* Counts rounds and tests: after each look. */
void kg_runner_counts_take(struct kg_runner *runner);

/* Sets the rounds that doubtful cases get next, in the report's order: where the budget is short,
 * the worst cases come first. false where none gets any. */
bool kg_runner_more(struct kg_runner *runner);

/* Sets the suspects' confirming rounds in the report's order, as far as the budget allows: first of
 * those whose planned rounds fit, then as many as fit of the others. */
bool kg_runner_suspects(struct kg_runner *runner);

/* Sets as many confirming rounds again for cases that they leave open, where these may be as much
 * slower as counts.
 * last  these are the last rounds: with a budget, as many as it pays for */
bool kg_runner_again(struct kg_runner *runner, bool last);
