/* sequence.h: measures each case until its result is clear. Every case gets its fewest rounds. A
 * doubtful case gets half as many again, repeatedly, until it is clear, has its most rounds, or the
 * time is used up. With a budget, the time is the only limit of a case that may be worse. A case that looks changed is then a suspect: it is measured again, later, and
 * these confirming rounds alone decide. So repeated looks do not raise the rate of false alarms:
 * the confirming rounds are looked at three times at the most, each time with a third of alpha
 * (docs/statistics.md).
 *
 * The caller supplies the rounds, from a measurement or from a recording. */
#pragma once
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/statistics/allocation.h"
#include "model/baseline.h"
#include "model/comparison.h"
#include "model/results.h"

/* How many rounds of the suite's min_time a case gets before it is judged. Confirming rounds, at
 * most `most`, are extra. A budget takes the place of `most` for a case that may be worse. Where rounds are shorter or longer than that, it is so much time. */
struct kg_round_limits {
    size_t least;
    size_t most;
};

/* Rounds of a case, of whatever length: what is beyond says nothing new. */
enum { KG_SEQUENCE_ROUNDS_MOST = 500 };

/* What the rounds of a case so far say of its next ones. Times to measure are of both sides of a
 * pair together. NaN: not known. */
struct kg_round_plan {
    double elapsed_ns; /* that the rounds so far took, all told */
    double fixed_ns;   /* of a round, beyond what it measures */
    double asked_ns;   /* to measure in a round, by the suite */
    double least_ns;   /* and what is allowed: both the same where the length is given */
    double most_ns;
    struct kg_spread spread; /* of a round's log value */
};
#define KG_ROUND_PLAN_UNKNOWN                                                                      \
    {                                                                                              \
        NAN, NAN, NAN, NAN, NAN,                                                                   \
        {                                                                                          \
            NAN, NAN                                                                               \
        }                                                                                          \
    }

struct kg_sequence {
    /* Adds rounds to the results until case i has wanted[i]; a case that has as many gets none, nor
     * does a case that failed. `confirm` marks the new rounds as confirming and asks for a pause
     * before them. */
    bool (*measure)(void *user, const size_t *wanted, bool confirm, struct kg_error *err);
    /* What the rounds of a case say. NULL: rounds are all alike. */
    void (*plan)(void *user, size_t index, struct kg_round_plan *plan);
    /* Sets what `measure` measures in the next rounds of a case. */
    void (*length_set)(void *user, size_t index, double measured_ns);
    /* Time since measuring began. */
    double (*elapsed_ns)(void *user);
    /* Whether to stop, as on Ctrl-C. */
    bool (*stopped)(void *user);
    /* Settles cases of the comparison so far by other means: sets done[i] of each that it did, which
     * then gets no more rounds against the ordinary runs. NULL: there are no other means. */
    bool (*settle)(void *user, const struct kg_comparison *comparison, bool *done,
                   struct kg_error *err);
    void *user;
    const bool *expected; /* cases that `settle` will likely settle: until then they get no more
                             rounds than the first; NULL: none */
    const struct kg_round_limits *limits; /* of each case of the results */
    double budget_ns;                     /* INFINITY: no limit */
    bool new_to_most; /* cases without a reference get their most rounds: they become references */
};

/* Measures and compares.
 * results     in the order of `limits`; `measure` adds rounds to them
 * comparison  after the last round, to be freed with kg_comparison_free; zeroed on failure */
bool kg_sequence_run(const struct kg_sequence *sequence, const struct kg_baseline *baseline,
                     const struct kg_results *results, struct kg_comparison *comparison,
                     struct kg_error *err);

/* Rounds of a doubtful case at the next look: half as many again, of whatever length, as the time
 * so far would have paid for, at most `most`.
 * worth  rounds that the time of the `rounds` so far would pay for; the same where all are alike */
size_t kg_sequence_next(size_t rounds, double worth, size_t most);

/* What confirming rounds of a suspect are to show. */
struct kg_confirming {
    size_t screened; /* rounds that made it a suspect */
    size_t least;    /* in any case */
    size_t most;
    size_t base_rounds;
    size_t tests; /* made together */
    double alpha; /* for all of them */
    bool paired;  /* the rounds are pairs */
    /* NaN: not known. */
    double variance;  /* of a round's log value */
    double effect;    /* log ratio that is suspected */
    double threshold; /* log ratio that counts */
};

/* Confirming rounds of a suspect: as many as find a change of half the way from the threshold to
 * what was seen, where the variance is known; else twice as many as screening took. */
size_t kg_sequence_confirming(const struct kg_confirming *confirming);

/* sequence_rounds.c: which rounds each case of a sequence gets next: how many, and how long.
 * Internal to the sequence. */

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

/* Fills base_rounds, once. */
void kg_runner_references_count(struct kg_runner *runner);

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
