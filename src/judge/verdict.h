/* verdict.h: decides PASS, FAIL or UNDECIDED, the exit status and its reasons, by the suite's policy. */
#pragma once
#include <stdbool.h>

#include "model/comparison.h"

/* Counts the changes, marks the cases that the policy fails on, decides verdict, exit status and
 * reasons, and notes the facts that a reader must know. The cases must be ranked already. */
void kg_verdict_decide(const struct kg_baseline *baseline, const struct kg_results *current,
                       struct kg_comparison *comparison);

/* The same of a comparison that has a verdict, whose cases were waived since: its notes stay. */
void kg_verdict_again(const struct kg_baseline *baseline, const struct kg_results *current,
                      struct kg_comparison *comparison);
