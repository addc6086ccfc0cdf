/* removed.h: cases that the baseline has and the results have not. */
#pragma once

#include <stdbool.h>

#include "model/baseline.h"
#include "model/comparison.h"
#include "model/results.h"

/* Appends to the comparison a REMOVED case for each id of the run `newest` that the results have
 * not. Nothing where the results are of a part of the suite, or of a run that was interrupted: they
 * say nothing about what is not in them.
 * missing     whether such a case was lost, and not taken away as a function of a program is
 * scratch     holds what is needed meanwhile
 * comparison  its `cases` have room for all of the run's; the strings live in its arena
 * returns     false where memory is out */
bool kg_removed_append(const struct kg_baseline_run *newest, const struct kg_results *current,
                       bool missing, struct kg_arena *scratch, struct kg_comparison *comparison,
                       struct kg_error *err);
