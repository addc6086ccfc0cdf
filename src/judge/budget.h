/* budget.h: judges a case by the suite's absolute limits. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "model/comparison.h"
#include "model/results.h"

/* counterpart.c: finds the CPU case with the workload and parameters of a GPU case. The two cases may differ in their
 * timing method. Pure. */

/* CPU cases, sorted by workload and parameters */
struct kg_counterparts {
    const struct kg_case_result **cases;
    size_t count;
};

/* The index lives in `arena` and points into `results`. */
void kg_counterparts_index(struct kg_arena *arena, const struct kg_results *results,
                           struct kg_counterparts *counterparts);

/* Returns the CPU case with the workload and parameters of `result`; NULL if the results have none. */
const struct kg_case_result *kg_counterpart_find(const struct kg_counterparts *counterparts,
                                                 const struct kg_case_result *result);

/* Input of budget judgement. A speedup over the CPU needs a second case, the counterpart. */
struct kg_budget_grounds {
    struct kg_arena *arena;   /* owns the strings of metrics */
    struct kg_arena *scratch; /* owns the index of counterparts; lives as long as the grounds */
    const struct kg_results *results;
    struct kg_counterparts counterparts; /* CPU cases of `results` */
};

void kg_budget_grounds_start(struct kg_budget_grounds *grounds, struct kg_arena *arena,
                             struct kg_arena *scratch, const struct kg_results *results);

/* Whether the budget applies to the case. A speedup over the CPU applies only to GPU cases. */
bool kg_budget_applies(const struct kg_case_result *result, const struct kg_limit *budget);

/* Judges one budget of a measured case and fills `metric`, with `against` "budget". The change is REGRESSION if the
 * case misses the budget, INCONCLUSIVE if the value is unknown, else NO_CHANGE. Compares the median with the limit
 * without a margin for noise. The suite's author must choose a limit with enough room. */
void kg_budget_judge(const struct kg_budget_grounds *grounds, const struct kg_case_result *result,
                     const struct kg_limit *budget, struct kg_metric *metric);
