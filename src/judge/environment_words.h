/* environment_words.h: which variables of the environment differ between two results, in words. */
#pragma once
#include "model/baseline.h"
#include "model/results.h"

/* The variables that the case gets from the caller, and that the stored run had otherwise: "LC_ALL is
 * 'C.UTF-8' here, was 'C'". Where both sides have one LC_ALL, no other variable of the locale counts.
 * result   NULL: those that any case of the results gets from the caller
 * returns  in `arena`; NULL where none differs, or a side is not known */
const char *kg_environment_words(struct kg_arena *arena, const struct kg_results *results,
                                 const struct kg_case_result *result,
                                 const struct kg_baseline_run *run);
