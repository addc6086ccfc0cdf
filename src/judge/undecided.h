/* undecided.h: whether a comparison decided enough for a verdict, and the remedy if it did not.
 * The counts must be filled and the cases ranked. Sentences live in the comparison's arena. */
#pragma once
#include <stdbool.h>

#include "model/comparison.h"

/* What the cases of a comparison came to. */
struct kg_decided {
    size_t compared;  /* against a reference, or a new case against its budgets */
    size_t measured;  /* of them all but those that need not be measured: their code is unchanged */
    size_t undecided; /* of them SUSPECT or INCONCLUSIVE, perhaps worse, and not waived */
    size_t not_worse; /* INCONCLUSIVE, and surely not worse by as much as counts; not waived */
    size_t suspect;   /* of these */
};

struct kg_decided kg_decided_count(const struct kg_comparison *comparison);

static inline bool kg_change_undecided(const struct kg_case_change *change)
{
    return change->change == KG_CHANGE_SUSPECT || change->change == KG_CHANGE_INCONCLUSIVE;
}

/* Whether it is open only how much better an undecided case is: its interval excludes a change for the
 * worse that counts. */
bool kg_change_not_worse(const struct kg_case_change *change);

/* "4 of 5 compared cases are SUSPECT or INCONCLUSIVE". */
const char *kg_undecided_most(struct kg_comparison *comparison, const struct kg_decided *decided);

/* Whether paired rounds have cases that the base's suite lacks: they can be compared once the change that
 * brings them is merged. */
bool kg_undecided_is_new_pair(const struct kg_comparison *comparison,
                              const struct kg_results *current);

/* "nothing was compared: 2 new, 1 skipped; no baseline of suite …".
 * missing  what the baseline lacks; or NULL */
const char *kg_undecided_nothing(struct kg_comparison *comparison, const char *missing);

/* Whether a metric of the case has a reference and no figure of this run that can be compared. */
bool kg_change_blank(const struct kg_case_change *change);

/* "2 stored cases were not measured: copy/cpu was SKIPPED, and 1 more", "1 stored case was not
 * compared: copy/cpu: the machine was too busy". */
const char *kg_undecided_missing(struct kg_comparison *comparison,
                                 const struct kg_case_change *first, size_t count);

/* "NOT recorded: prog/cpu (the machine was too busy), and 1 more; run it again".
 * count  of unrecorded cases; at least 1 */
const char *kg_undecided_unrecorded(struct kg_comparison *comparison, size_t count);

/* "no case on cuda was measured: 12 skipped, the first because: no CUDA device: …". */
const char *kg_undecided_device(struct kg_comparison *comparison, const struct kg_results *current,
                                const char *device);

/* remedy.c: how an UNDECIDED comparison is settled. */

/* The command that settles it, in a sentence. */
const char *kg_undecided_next(struct kg_comparison *comparison, const struct kg_decided *decided,
                              const struct kg_results *current);

/* How an `ab` is repeated. */
struct kg_again {
    const char
        *command; /* as it was given, but for --budget; NULL: nobody can repeat it, as its folders
                            are a pipeline's */
    bool is_filtered;   /* some of its cases are chosen already */
    size_t rounds_most; /* pairs that a case could have */
    double budget_ns;   /* INFINITY: there was none */
};

/* Says how to settle an UNDECIDED `ab` by its own command, in the place of one with words to fill in.
 * current  the head's results, that the comparison was made of */
void kg_undecided_again(struct kg_comparison *comparison, const struct kg_results *current,
                        const struct kg_again *again);
