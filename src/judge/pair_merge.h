/* pair_merge.h: two comparisons of one gate become one. What the stored runs leave open is decided by
 * pairs against the build behind them, where there are any. Pure. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "model/comparison.h"

/* Whether pairs could decide the case: a metric against the ordinary runs was measured on both
 * sides, and is suspected or undecided. */
bool kg_change_open(const struct kg_case_change *change);

/* Whether pairs were measured of the case and none of its metrics is left open, neither by them nor
 * by the stored runs. */
bool kg_change_settled(const struct kg_case_change *change);

/* Says of the undecided metrics of cases that --budget had no time for the rounds that they wanted.
 * comparison         of kg_compare
 * baseline, current  that it was made of
 * cut                of each case of `current`, whether that is so */
void kg_comparison_cut(struct kg_comparison *comparison, const struct kg_baseline *baseline,
                       const struct kg_results *current, const bool *cut);

/* Tests that a comparison makes together, as Holm's method counts them. */
size_t kg_comparison_tests(const struct kg_comparison *comparison);

/* Puts what pairs say in the place of what the ordinary runs say of a metric, unless these decide it
 * and the pairs do not, and decides cases and verdict anew. A case that pairs could not measure with
 * the other build (SKIPPED) stays as it was.
 * comparison         of kg_compare
 * baseline, current  that it was made of
 * pairs              likewise of pairs; each of its cases is one of the comparison
 * build              what they are against: "the baseline's build" */
void kg_comparison_settle(struct kg_comparison *comparison, const struct kg_baseline *baseline,
                          const struct kg_results *current, const struct kg_comparison *pairs,
                          const char *build);
