/* comparer.h: a comparison while it is made, for compare.c and metric_compare.c. Internal to these. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "judge/budget.h"
#include "judge/compare_parts.h"
#include "judge/evidence.h"
#include "judge/reference.h"
#include "model/disturbance.h"

struct kg_comparer {
    const struct kg_baseline *baseline;
    const struct kg_results *current;
    struct kg_comparison *comparison;
    struct kg_reference_index index;
    bool same_machine;
    struct kg_metric_state ordinary; /* of the case's time against the ordinary runs */
    double bandwidth;                /* that the probe read */
    enum kg_stage stage;
    struct kg_evidence *evidence; /* one for each metric against a reference */
    size_t evidence_count;
    char busy[KG_DISTURBANCE_WORDS]; /* why the case's rounds say nothing; "" where they do */
    struct kg_budget_grounds budgets;
    struct kg_arena scratch;
    struct kg_evidence_room room; /* cleared after each case */
};

/* A copy in the comparison; NULL stays NULL. */
static inline const char *kg_comparer_keep(struct kg_comparer *comparer, const char *string)
{
    return kg_arena_keep(&comparer->comparison->arena, string);
}

/* metric_compare.c: the metrics of one case. */

/* The most metrics that a case can have against references. */
size_t kg_case_metrics_most(const struct kg_comparer *comparer,
                            const struct kg_case_result *result);

/* Fills the metrics of the case: each against the ordinary runs and each pinned one, then the budgets.
 * entries  `count` stored cases of that id */
void kg_case_metrics_make(struct kg_comparer *comparer, const struct kg_case_result *result,
                          const struct kg_reference_entry *entries, size_t count,
                          struct kg_case_change *change);
