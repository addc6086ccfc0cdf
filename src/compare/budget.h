/* budget.h: a case's figures against the suite's absolute limits. */
#pragma once
#include <stdbool.h>

#include "compare/comparison.h"
#include "compare/counterpart.h"

/* What budgets are judged with: one may be on a figure that two cases make together. */
struct kg_budget_grounds {
    struct kg_arena *arena;   /* owns the strings of metrics */
    struct kg_arena *scratch; /* lives as long as this */
    const struct kg_results *results;
    struct kg_counterparts counterparts; /* of `results` */
};

/* false where memory is out. */
bool kg_budget_grounds_start(struct kg_budget_grounds *grounds, struct kg_arena *arena,
                             struct kg_arena *scratch, const struct kg_results *results);

/* Whether it says anything of the case: a speedup over the CPU is one of cases on the GPU. */
bool kg_budget_applies(const struct kg_case_result *result, const struct kg_limit *budget);

/* Judges one budget of a measured case of the results into a metric "against budget": REGRESSION
 * where it is missed, INCONCLUSIVE where the figure is not known, else NO_CHANGE. The median is held against the limit as it stands: a limit is the suite's to choose
 * with room for noise. false where memory is out. */
bool kg_budget_judge(const struct kg_budget_grounds *grounds, const struct kg_case_result *result,
                     const struct kg_limit *budget, struct kg_metric *metric);
