/* case_result.h: results as they begin: what the plan says of each case, and nothing measured. */
#pragma once
#include <stdbool.h>

#include "model/results.h"
#include "suite/plan.h"

/* Results for a plan: suite, policy, machine, cases without rounds, their status UNMEASURED or SKIPPED. */
void kg_results_start(struct kg_results *results, const struct kg_suite *suite,
                      const struct kg_plan *plan, const struct kg_machine *machine,
                      const char *filter);

/* Where a worker in the folder `worker` (NULL: here) looks for the program of a case's command. */
struct kg_code_search kg_case_program_search(const struct kg_command_setting *setting,
                                             const char *worker);

/* Marks the code of a case as open-ended if its setting brings code that nobody hashes: `setup` starts
 * programs, which may build this one, and variables of the loader (LD_PRELOAD, LD_LIBRARY_PATH) name
 * other libraries than those that kgate finds. */
void kg_case_code_widen(const struct kg_command_setting *setting, struct kg_code_identity *code);
