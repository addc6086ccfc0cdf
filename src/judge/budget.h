/* budget.h: a case's figures against the suite's absolute limits. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "model/comparison.h"
#include "model/results.h"

/* counterpart.c: finds the CPU case that has the workload and parameters of a GPU case; their
 * timing may differ. Pure. */

/* The cases on the CPU, sorted by workload and parameters. */
struct kg_counterparts {
    const struct kg_case_result **cases;
    size_t count;
};

/* The index lives in `arena` and points into `results`. */
void kg_counterparts_index(struct kg_arena *arena, const struct kg_results *results,
                           struct kg_counterparts *counterparts);

/* The CPU case that belongs to `result`; NULL where the results have none. */
const struct kg_case_result *kg_counterpart_find(const struct kg_counterparts *counterparts,
                                                 const struct kg_case_result *result);

/* What judging budgets needs. A speedup over the CPU needs a second case, the counterpart. */
struct kg_budget_grounds {
    struct kg_arena *arena;   /* owns the strings of metrics */
    struct kg_arena *scratch; /* owns the index of counterparts; lives as long as the grounds */
    const struct kg_results *results;
    struct kg_counterparts counterparts; /* of `results` */
};

void kg_budget_grounds_start(struct kg_budget_grounds *grounds, struct kg_arena *arena,
                             struct kg_arena *scratch, const struct kg_results *results);

/* Whether the budget concerns the case: a speedup over the CPU concerns cases on the GPU only. */
bool kg_budget_applies(const struct kg_case_result *result, const struct kg_limit *budget);

/* Judges one budget of a measured case and fills `metric`, with `against` "budget": REGRESSION
 * where the budget is missed, INCONCLUSIVE where the figure is unknown, else NO_CHANGE. Compares
 * the median with the limit and allows nothing for noise: the suite's author chooses a limit with
 * room for it. */
void kg_budget_judge(const struct kg_budget_grounds *grounds, const struct kg_case_result *result,
                     const struct kg_limit *budget, struct kg_metric *metric);
