/* unchanged_code.h: cases whose code is the baseline's, which need not be measured. */
#pragma once
#include <stdbool.h>

#include "judge/reference.h"
#include "model/baseline.h"
#include "model/results.h"

/* Marks as UNCHANGED the cases that are not measured yet and need not be: the code with all its
 * libraries, the definition and the machine are those of the suite's newest ordinary run, the code
 * also that of every pinned run which has the case. A case with a budget is measured: a budget is
 * about now. So is one whose reference lacks a metric that is compared, and one whose code can load
 * or start other code.
 * wanted   of each case, whether the suite asks for it */
void kg_unchanged_mark(const struct kg_baseline *baseline, const bool *wanted,
                       struct kg_results *results);

/* Whether a case that is marked has the code of the suite's newest ordinary run: the baseline may be
 * another one than it was marked by. Of a pair both sides are marked. */
bool kg_unchanged_holds(const struct kg_reference_index *index, const struct kg_results *results,
                        const struct kg_case_result *result);

/* Whether a measured case is the same as in all runs of its reference, by all that kgate can see: code and
 * libraries, which can open no file and bring no other code, machine and environment. Of a pair: whether
 * it was found to be (kg_builds_alike). No change of it is then the code's. */
bool kg_unchanged_since(const struct kg_results *results, const struct kg_case_result *result,
                        const struct kg_reference *reference);
