/* case_result.h: the results of a plan before any measuring. */
#pragma once

#include "model/results.h"
#include "suite/plan.h"

/* Results for a plan: suite, policy, machine, cases without rounds, their status UNMEASURED or SKIPPED. */
void kg_results_start(struct kg_results *results, const struct kg_suite *suite,
                      const struct kg_plan *plan, const struct kg_machine *machine,
                      const char *filter);

/* How a worker in the folder `worker` (NULL: here) searches for the program of a case's command. */
struct kg_code_search kg_case_program_search(const struct kg_command_setting *setting,
                                             const char *worker);

/* Marks the code of a case as open-ended if its setting brings code without a hash. `setup` starts
 * programs, which may build this one. Variables of the loader (LD_PRELOAD, LD_LIBRARY_PATH) may
 * bring libraries that kgate does not find. */
void kg_case_code_widen(const struct kg_command_setting *setting, struct kg_code_identity *code);
