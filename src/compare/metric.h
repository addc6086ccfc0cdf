/* metric.h: one metric of a case against one reference: the estimate and its classification. Pure.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "compare/comparison.h"

/* What a metric is judged on. Values are 0 or more; the arrays are reordered and may be shifted. */
struct kg_metric_input {
    double *base; /* a value a round, of all runs of the reference; at least one */
    size_t base_count;
    double *current; /* likewise, of the current results */
    size_t current_count;
    double *run_medians; /* one for each run of the reference: the noise between runs */
    size_t run_count;
    double threshold;
    double min_effect;
};

/* Fills the figures of `metric`, p_value not adjusted yet. */
void kg_metric_estimate(struct kg_metric_input *input, struct kg_metric *metric);

/* Whether the whole interval lies beyond the threshold, on one side. */
bool kg_metric_outside(const struct kg_metric *metric);

/* Decides `change` from the figures. `significant` is whether the adjusted p-value is small enough.
 */
void kg_metric_classify(struct kg_metric *metric, bool significant);

/* Why a metric is INCONCLUSIVE and what would settle it; NULL where memory is out. */
const char *kg_metric_doubt(struct kg_arena *arena, const struct kg_metric *metric,
                            size_t base_rounds, size_t current_rounds, double alpha);
