/* verdict.h: decides PASS, FAIL or UNDECIDED, the exit status and its reasons, by the suite's policy. */
#pragma once
#include <stdbool.h>

#include "model/comparison.h"

/* Counts the changes, marks the cases that the policy fails on, and decides verdict, exit status and reasons. Adds the
 * notes. The cases must already be ranked. */
void kg_verdict_decide(const struct kg_baseline *baseline, const struct kg_results *current,
                       struct kg_comparison *comparison);

/* Decides again after cases were waived. The notes stay. */
void kg_verdict_again(const struct kg_baseline *baseline, const struct kg_results *current,
                      struct kg_comparison *comparison);

/* Sets the first reason and the next step of a first run.
 * count  number of recorded cases */
void kg_verdict_recorded(struct kg_comparison *comparison, size_t count);
