/* sequence.h: measures each case until its result is clear. Every case gets its fewest rounds. A
 * doubtful case gets half as many again, repeatedly, until it is clear, has its most rounds, or the
 * time is used up. A case that looks changed is then a suspect: it is measured again, later, and
 * these confirming rounds alone decide. So repeated looks do not raise the rate of false alarms:
 * the confirming rounds are looked at only once (docs/statistics.md).
 *
 * The caller supplies the rounds, from a measurement or from a recording. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "baseline/baseline.h"
#include "compare/comparison.h"
#include "results/results.h"

/* How many rounds a case gets before it is judged. Confirming rounds, at most `most`, are extra. */
struct kg_round_limits {
    size_t least;
    size_t most;
};

struct kg_sequence {
    /* Adds rounds to the results until case i has wanted[i]; a case that has as many gets none, nor
     * does a case that failed. `confirm` marks the new rounds as confirming and asks for a pause
     * before them. */
    bool (*measure)(void *user, const size_t *wanted, bool confirm, struct kg_error *err);
    /* Time since measuring began. */
    double (*elapsed_ns)(void *user);
    /* Whether to stop, as on Ctrl-C. */
    bool (*stopped)(void *user);
    void *user;
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

/* Rounds of a doubtful case at the next look: half as many again, at most `most`. */
size_t kg_sequence_next(size_t rounds, size_t most);

/* Confirming rounds of a suspect: twice as many as screening took, since they must pass a stricter
 * test; at most `most`. */
size_t kg_sequence_confirming(size_t screened, size_t most);
