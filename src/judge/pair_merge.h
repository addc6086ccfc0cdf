/* pair_merge.h: merges two comparisons of one gate. Paired rounds against the baseline's build decide the metrics that
 * the stored runs leave open. Pure. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "model/comparison.h"

/* Whether paired rounds could decide the case. A metric against the ordinary runs must have values on both sides and be
 * suspected or undecided. */
bool kg_change_open(const struct kg_case_change *change);

/* Whether the case has paired rounds, and neither these nor the stored runs leave a metric open. */
bool kg_change_settled(const struct kg_case_change *change);

/* Adds the reason to undecided metrics if --budget ended before kgate could take the planned rounds.
 * comparison         from kg_compare
 * baseline, current  its input
 * cut                one element per case of `current`: whether --budget cut its rounds short */
void kg_comparison_cut(struct kg_comparison *comparison, const struct kg_baseline *baseline,
                       const struct kg_results *current, const bool *cut);

/* Number of tests in a comparison, for Holm's method. */
size_t kg_comparison_tests(const struct kg_comparison *comparison);

/* Replaces the judgement against the ordinary runs by that of the pairs, and decides cases and verdict again. A metric
 * stays if the ordinary runs decide it and the pairs do not. A case also stays if its other build could not be measured
 * (SKIPPED).
 * comparison         from kg_compare
 * baseline, current  its input
 * pairs              comparison of the paired rounds; each of its cases is also in `comparison`
 * build              name of the other build, in words: "the baseline's build" */
void kg_comparison_settle(struct kg_comparison *comparison, const struct kg_baseline *baseline,
                          const struct kg_results *current, const struct kg_comparison *pairs,
                          const char *build);
