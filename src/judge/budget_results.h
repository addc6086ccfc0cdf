/* budget_results.h: how the cases of results stand to the suite's budgets, without a baseline. Pure but for
 * the arena. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "model/results.h"

/* The budgets of one case. A range is two. */
struct kg_held {
    size_t count;       /* that concern the case; 0 also of one that was not measured */
    size_t missed;      /* of them */
    size_t unknown;     /* of them: the figure is not known */
    const char *reason; /* of the first that is missed, else of the first unknown; else NULL */
};

/* Judges the budgets of every case, by the rules of a comparison.
 * returns  one for each case of the results; array and texts in `arena` */
struct kg_held *kg_budgets_held(struct kg_arena *arena, const struct kg_results *results);
