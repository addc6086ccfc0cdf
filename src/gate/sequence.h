/* sequence.h: measuring until it is clear, and no longer. Every case gets its fewest rounds; those
 * that are doubtful get more, half as many again each time, until they are clear, have their most
 * rounds, or the time is used up. What then looks changed is only a suspect: it is measured anew,
 * later, and these confirming rounds alone decide. So looking often cannot raise the false alarms:
 * nobody has looked at what decides (docs/statistics.md).
 *
 * Where rounds come from is the caller's: a measurement, or rounds recorded before. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "baseline/baseline.h"
#include "compare/comparison.h"
#include "results/results.h"

/* Rounds that a case may have before it is judged; confirming ones come on top, at most `most`. */
struct kg_round_limits {
    size_t least;
    size_t most;
};

struct kg_sequence {
    /* Adds rounds to the results until case i has wanted[i] of them; 0, or fewer than it has,
     * leaves it as it is. `confirm` marks the new ones as confirming, and asks for them to be taken
     * some time after the others. A case that failed gets none. */
    bool (*measure)(void *user, const size_t *wanted, bool confirm, struct kg_error *err);
    /* Time since measuring began. */
    double (*elapsed_ns)(void *user);
    /* Whether to stop, as on Ctrl-C. */
    bool (*stopped)(void *user);
    void *user;
    const struct kg_round_limits *limits; /* of each case of the results */
    double budget_ns;                     /* INFINITY: none */
    bool new_to_most; /* cases without a reference get their most rounds, to become one */
};

/* Measures and compares.
 * results     in the order of `limits`; `measure` lets them grow
 * comparison  the last one made, to be freed with kg_comparison_free; zeroed on failure */
bool kg_sequence_run(const struct kg_sequence *sequence, const struct kg_baseline *baseline,
                     const struct kg_results *results, struct kg_comparison *comparison,
                     struct kg_error *err);

/* How many rounds the next look at a doubtful case is taken at: half as many
 * again, at most `most`. */
size_t kg_sequence_next(size_t rounds, size_t most);

/* How many confirming rounds a suspect gets: twice as many as made it suspect, since they have more
 * to prove; at least as many as could be significant among `tests` tests against `base_rounds`
 * rounds; and at most `most`. `paired`: of `ab`. */
size_t kg_sequence_confirming(size_t screened, size_t most, size_t base_rounds, size_t tests,
                              double alpha, bool paired);
