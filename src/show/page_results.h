/* page_results.h: results as the HTML page has them, for page.c. */
#pragma once
#include <stdio.h>

#include "judge/budget_results.h"

/* Prints results as JSON that is safe inside HTML, case by case, so that a hundred thousand need no more memory than
 * one: without samples, and of many cases without the hottest functions and lines of each, which the
 * page does not show.
 * held    how each case stands to its budgets, added to it; NULL: left out
 * err     KG_ERROR_SYSTEM where the output takes no more */
bool kg_page_results(const struct kg_results *results, const struct kg_held *held, FILE *output,
                     struct kg_error *err);
