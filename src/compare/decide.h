/* decide.h: from estimated metrics to words: thresholds raised to the noise, all tests of a
 * comparison judged together, and the reasons. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "compare/evidence.h"

/* Raises the thresholds, adjusts the p-values of all tests together and decides `change`,
 * `suspected` and `p_value` of every metric. false where memory is out. */
bool kg_evidence_decide(struct kg_arena *scratch, struct kg_evidence *evidence, size_t count,
                        enum kg_stage stage, double alpha);

/* Writes the reasons of what is doubtful, or moved without the code. false where memory is out. */
bool kg_evidence_explain(struct kg_arena *arena, const struct kg_evidence *evidence, size_t count,
                         double alpha);
