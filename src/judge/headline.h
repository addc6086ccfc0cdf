/* headline.h: the sentence of a verdict about the cases with one change. */
#pragma once
#include <stddef.h>

#include "model/comparison.h"

/* Returns "2 cases regressed: gemm/m=512/cpu: time +21.3 % (1.00 -> 1.21 ms), and 1 more". The sentence names the first
 * such case, with each metric that has the change. In the comparison's arena.
 * count  number of cases with that change and without a waiver; at least 1 */
const char *kg_headline_make(struct kg_comparison *comparison, enum kg_change change, size_t count);
