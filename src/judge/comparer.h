/* comparer.h: state of a comparison in progress. Internal to compare.c and metric_compare.c. */
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
    struct kg_metric_state ordinary; /* state of the case's time against the ordinary runs */
    bool prior_known;                /* the prior beside the baseline has a metric of the case */
    /* memory bandwidth measured by the probe of the results, in bytes per second */
    double bandwidth;
    enum kg_stage stage;
    struct kg_evidence *evidence; /* one element per metric and reference */
    size_t evidence_count;
    /* reason why the case's rounds decide nothing; "" if they decide */
    char busy[KG_DISTURBANCE_WORDS];
    struct kg_budget_grounds budgets;
    struct kg_arena scratch;
    struct kg_evidence_room room; /* cleared after each case */
};

/* Copies a string into the comparison. NULL stays NULL. */
static inline const char *kg_comparer_keep(struct kg_comparer *comparer, const char *string)
{
    return kg_arena_keep(&comparer->comparison->arena, string);
}

/* metric_compare.c: the metrics of one case. */

/* Upper bound for the number of a case's metrics against references. */
size_t kg_case_metrics_most(const struct kg_comparer *comparer,
                            const struct kg_case_result *result);

/* Fills the metrics of the case: each metric against the ordinary runs and each pinned run, then the budgets.
 * entries  `count` stored cases with the case's id */
void kg_case_metrics_make(struct kg_comparer *comparer, const struct kg_case_result *result,
                          const struct kg_reference_entry *entries, size_t count,
                          struct kg_case_change *change);
