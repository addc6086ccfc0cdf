/* unchanged_code.h: cases that need no measurement, because their code is the baseline's. */
#pragma once
#include <stdbool.h>

#include "judge/reference.h"
#include "model/baseline.h"
#include "model/results.h"

/* Marks a case as UNCHANGED if it needs no measurement. Definition, machine, and the code with all its libraries must
 * equal the suite's newest ordinary run. The code must also equal every pinned run with the case. Does not mark a case
 * with a budget, because a budget judges the present. Does not mark a case if its reference lacks a compared metric.
 * Does not mark a case if its code can load or start other code.
 * wanted   one element per case: whether the suite asks to skip it */
void kg_unchanged_mark(const struct kg_baseline *baseline, const bool *wanted,
                       struct kg_results *results);

/* Whether a marked case has the code of the suite's newest ordinary run. The baseline may differ from the baseline that
 * marked the case. For a pair both sides are marked, so the result is true. */
bool kg_unchanged_holds(const struct kg_reference_index *index, const struct kg_results *results,
                        const struct kg_case_result *result);

/* Whether a measured case equals all runs of its reference in everything that kgate can see: code, libraries, machine
 * and environment. The code must not be able to open files or bring other code. For a pair: whether kg_builds_alike
 * found the builds equal. If true, the code cannot have caused a change. */
bool kg_unchanged_since(const struct kg_results *results, const struct kg_case_result *result,
                        const struct kg_reference *reference);
