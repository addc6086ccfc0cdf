/* budget_end.h: when the time for measuring is over. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "compare/comparison.h"
#include "results/results.h"

/* The moment by kg_clock_ns; 0 where there is no limit. */
uint64_t kg_budget_end(uint64_t started_ns, double budget_ns);

/* Notes where the fewest rounds, which are always taken, were more than the budget pays for.
 * budget_ns  INFINITY: none
 * returns    false where memory is out */
bool kg_budget_note(const struct kg_results *results, double budget_ns,
                    struct kg_comparison *comparison, struct kg_error *err);
