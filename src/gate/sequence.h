/* sequence.h: measures each case until its result is clear. Every case gets its minimum rounds. A doubtful case gets
 * half as many again, repeatedly. It ends once it is clear, has its maximum rounds, or the time is used up. With a
 * budget, only the time limits a case that may be worse.
 * A case that looks changed is then a suspect. kgate measures it again later, and these confirming rounds alone decide.
 * So interim analyses do not raise the rate of false alarms. The confirming rounds get at most three analyses, each
 * with a third of alpha (docs/statistics.md).
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

/* Rounds of the suite's min_time that a case gets before the judgement. Confirming rounds, at most `most`, are extra.
 * If a case may be worse, a budget replaces `most`. If rounds have another length, the limits stand for the same total
 * time. */
struct kg_round_limits {
    size_t least;
    size_t most;
};

/* Limit for the rounds of a case. More rounds add no information. */
enum { KG_SEQUENCE_ROUNDS_MOST = 500 };

/* Forecast for a case's next rounds from its earlier rounds. Measured times cover both sides of a pair. NaN: unknown */
struct kg_round_plan {
    double elapsed_ns; /* total time of the rounds so far */
    double fixed_ns;   /* time per round besides the measured time */
    double asked_ns;   /* measured time per round that the suite asks for */
    /* allowed measured time per round, with most_ns; equal if the length is fixed */
    double least_ns;
    double most_ns;
    struct kg_spread spread; /* spread of a round's log value */
};
#define KG_ROUND_PLAN_UNKNOWN                                                                      \
    {                                                                                              \
        NAN, NAN, NAN, NAN, NAN,                                                                   \
        {                                                                                          \
            NAN, NAN                                                                               \
        }                                                                                          \
    }

struct kg_sequence {
    /* Adds rounds to the results until case i has wanted[i]. A failed case gets no rounds. `confirm` marks the new
     * rounds as confirming and asks for a pause before them. */
    bool (*measure)(void *user, const size_t *wanted, bool confirm, struct kg_error *err);
    /* Plans the rounds of a case from its rounds so far. NULL: all rounds cost the same. */
    void (*plan)(void *user, size_t index, struct kg_round_plan *plan);
    /* Sets the time that `measure` measures in the next rounds of a case. */
    void (*length_set)(void *user, size_t index, double measured_ns);
    /* Time since measuring began. */
    double (*elapsed_ns)(void *user);
    /* Whether to stop, for example after Ctrl-C. */
    bool (*stopped)(void *user);
    /* Settles cases of the comparison by other means and sets their done[i]. A settled case gets no more rounds against
     * the ordinary runs. NULL: no other means. */
    bool (*settle)(void *user, const struct kg_comparison *comparison, bool *done,
                   struct kg_error *err);
    void *user;
    /* cases that `settle` will likely settle; before `settle` they get only the minimum rounds; NULL: none */
    const bool *expected;
    const struct kg_round_limits *limits; /* one per case of the results */
    double budget_ns;                     /* INFINITY: no limit */
    /* whether a case without a reference gets its maximum rounds, since it becomes one */
    bool new_to_most;
};

/* Measures and compares.
 * results     in the order of `limits`; `measure` adds rounds to them
 * comparison  comparison after the last round; the caller frees it with kg_comparison_free. Zeroed on failure. */
bool kg_sequence_run(const struct kg_sequence *sequence, const struct kg_baseline *baseline,
                     const struct kg_results *results, struct kg_comparison *comparison,
                     struct kg_error *err);

/* Returns the number of rounds of a doubtful case for the next interim analysis: adds half of `worth`, up to `most`.
 * worth  rounds of the next length that the time of `rounds` would have paid for; equal to `rounds` if all cost the
 *        same */
size_t kg_sequence_next(size_t rounds, double worth, size_t most);

/* Input for the number of a suspect's confirming rounds. */
struct kg_confirming {
    size_t screened; /* number of rounds that made the case a suspect */
    size_t least;    /* minimum number of confirming rounds */
    size_t most;
    size_t base_rounds;
    size_t tests; /* number of tests in the comparison */
    double alpha; /* alpha for all tests together */
    bool paired;  /* whether the rounds are pairs */
    /* NaN: unknown */
    double variance;  /* variance of a round's log value */
    double effect;    /* suspected log ratio */
    double threshold; /* log ratio that counts */
};

/* Returns the number of confirming rounds of a suspect. If the variance is known, the rounds can detect a change
 * halfway between threshold and suspected change. Otherwise returns twice the number of screening rounds. */
size_t kg_sequence_confirming(const struct kg_confirming *confirming);

/* sequence_rounds.c: number and length of each case's next rounds in a sequence. Internal to the sequence. */

struct kg_runner {
    const struct kg_sequence *sequence;
    const struct kg_baseline *baseline;
    const struct kg_results *results;
    struct kg_comparison *comparison;
    struct kg_error *err;
    size_t *wanted;
    struct kg_round_plan *plans; /* one per case, from the last interim analysis */
    bool *done;                  /* cases settled by other means */
    bool asked;                  /* whether `settle` was called */
    bool *cut;                   /* cases whose next rounds the budget cut */
    size_t *base_rounds;         /* number of rounds in each case's reference */
    size_t rounds;               /* number of rounds of all cases at the last interim analysis */
    size_t tests;                /* number of tests for Holm's method */
};

/* Fills base_rounds, once. */
void kg_runner_references_count(struct kg_runner *runner);

/* Counts rounds and tests. The caller calls it after each interim analysis. */
void kg_runner_counts_take(struct kg_runner *runner);

/* Sets the next rounds of doubtful cases in the report's order. If the budget is short, the worst cases come first.
 * Returns false if no case gets rounds. */
bool kg_runner_more(struct kg_runner *runner);

/* Sets the confirming rounds of the suspects in the report's order, within the budget. Suspects whose planned rounds
 * fit come first. The others get the rounds that still fit. */
bool kg_runner_suspects(struct kg_runner *runner);

/* Doubles the confirming rounds of cases that are still open and may have a change that counts.
 * last  whether these are the last rounds; a budget then pays for as many as possible */
bool kg_runner_again(struct kg_runner *runner, bool last);
