/* decide.h: what the estimated metrics of a comparison are called, all judged together, and the
 * doubt that each leaves. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "compare/evidence.h"

/* Raises the thresholds to the noise, adjusts the p-values of all tests together and decides
 * `change`, `doubt`, `suspected` and `p_value` of every metric, storing what that was decided from.
 * false where memory is out. */
bool kg_evidence_decide(struct kg_arena *scratch, struct kg_evidence *evidence, size_t count,
                        enum kg_stage stage, double alpha);
