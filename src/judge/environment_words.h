/* environment_words.h: environment variables that differ between two results, in words. */
#pragma once
#include "model/baseline.h"
#include "model/results.h"

/* Describes the variables that the case inherits from kgate's environment and that had other values in the stored run:
 * "LC_ALL is 'C.UTF-8' here, was 'C'". If both sides have the same LC_ALL, no other locale variable counts.
 * result   NULL: variables that any case of the results inherits
 * returns  text in `arena`; NULL if no variable differs or a side's environment is unknown */
const char *kg_environment_words(struct kg_arena *arena, const struct kg_results *results,
                                 const struct kg_case_result *result,
                                 const struct kg_baseline_run *run);
