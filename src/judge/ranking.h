/* ranking.h: the change of a case from its metrics, and the order of cases in reports. Pure. */
#pragma once
#include <stdbool.h>

#include "model/comparison.h"

/* Sets the case's change from its metrics, and puts the deciding metric first. A NEW case stays NEW
 * unless it misses a budget. */
void kg_case_decide(struct kg_case_change *change);

/* Sorts the cases: failed, worst regression first, suspect, inconclusive, new, removed, skipped, best
 * improvement first, unchanged; cases of equal rank in the order of the results. */
void kg_cases_rank(struct kg_comparison *comparison);

/* strcmp on pointers to strings, for qsort and bsearch. */
int kg_compare_ids(const void *a, const void *b);
