/* undecided.h: whether a comparison decided enough for a verdict, and the remedy if not. The caller has filled the
 * counts and ranked the cases. Sentences live in the comparison's arena. */
#pragma once
#include <stdbool.h>

#include "model/comparison.h"

/* Numbers of cases, by outcome. */
struct kg_decided {
    size_t compared; /* cases compared with a reference, and new cases judged by budgets */
    /* compared cases, except cases not measured because their code is unchanged */
    size_t measured;
    size_t undecided; /* SUSPECT cases, and INCONCLUSIVE cases that may be worse; not waived */
    /* INCONCLUSIVE cases without a change for the worse that counts; not waived */
    size_t not_worse;
    size_t suspect; /* SUSPECT cases; not waived */
};

struct kg_decided kg_decided_count(const struct kg_comparison *comparison);

static inline bool kg_change_undecided(const struct kg_case_change *change)
{
    return change->change == KG_CHANGE_SUSPECT || change->change == KG_CHANGE_INCONCLUSIVE;
}

/* Whether the interval of an undecided case excludes a change for the worse that counts. */
bool kg_change_not_worse(const struct kg_case_change *change);

/* Whether the verdict needs a remedy: UNDECIDED, or a FAIL only because the policy demands a decision. False for an
 * interrupted run. */
bool kg_undecided_is_open(const struct kg_comparison *comparison);

/* "4 of 5 compared cases are SUSPECT or INCONCLUSIVE". */
const char *kg_undecided_most(struct kg_comparison *comparison, const struct kg_decided *decided);

/* Whether paired rounds have cases that the base's suite lacks. They can be compared once the change is merged. */
bool kg_undecided_is_new_pair(const struct kg_comparison *comparison,
                              const struct kg_results *current);

/* Returns "nothing was compared: 2 new, 1 skipped; no baseline of suite …".
 * missing  sentence about a missing baseline; or NULL */
const char *kg_undecided_nothing(struct kg_comparison *comparison, const char *missing);

/* Whether a metric of the case has a reference, but no comparable value in this run. */
bool kg_change_blank(const struct kg_case_change *change);

/* "2 stored cases were not measured: copy/cpu was SKIPPED, and 1 more", "1 stored case was not
 * compared: copy/cpu: the machine was too busy". */
const char *kg_undecided_missing(struct kg_comparison *comparison,
                                 const struct kg_case_change *first, size_t count);

/* Returns "NOT recorded: prog/cpu (the machine was too busy), and 1 more; run it again".
 * count  number of unrecorded cases; at least 1 */
const char *kg_undecided_unrecorded(struct kg_comparison *comparison, size_t count);

/* "no case on cuda was measured: 12 skipped, the first because: no CUDA device: …". */
const char *kg_undecided_device(struct kg_comparison *comparison, const struct kg_results *current,
                                const char *device);

/* remedy.c: how to settle an UNDECIDED comparison. */

/* Returns a sentence with the command that settles the comparison. */
const char *kg_undecided_next(struct kg_comparison *comparison, const struct kg_decided *decided,
                              const struct kg_results *current);

/* How to repeat an `ab`. */
struct kg_again {
    /* command as given, without --budget; NULL: not repeatable, because its folders belong to a pipeline */
    const char *command;
    bool is_filtered;   /* whether the command already selects cases */
    size_t rounds_most; /* largest number of pairs per case */
    double budget_ns;   /* budget, in ns; INFINITY: none */
};

/* Sets the remedy of an UNDECIDED `ab` to its own command, instead of a command with words to fill in.
 * current  the candidate's results, the input of the comparison */
void kg_undecided_again(struct kg_comparison *comparison, const struct kg_results *current,
                        const struct kg_again *again);
