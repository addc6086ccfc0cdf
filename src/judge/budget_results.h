/* budget_results.h: judges the cases of results by the suite's budgets, without a baseline. Writes only to arenas. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "model/results.h"

/* Counts of one case's budgets. A range counts as two budgets. */
struct kg_held {
    size_t count;   /* number of budgets that apply to the case; 0 if the case was not measured */
    size_t missed;  /* number of missed budgets */
    size_t unknown; /* number of budgets whose value is unknown */
    /* reason of the first missed budget, else of the first unknown one, else NULL */
    const char *reason;
};

/* Judges the budgets of every case by the rules of a comparison.
 * returns  one element per case of the results; array and texts in `arena` */
struct kg_held *kg_budgets_held(struct kg_arena *arena, const struct kg_results *results);
