/* metric.h: one metric of a case against one reference: the estimate and
 * its classification. Pure. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "compare/comparison.h"
#include "stats/stats.h"

/* What a metric is judged on. Values are 0 or more; the arrays are changed. */
struct kg_metric_input {
    double *values;     /* of the reference's runs, one after the other, then the current ones */
    double *paces_ns;   /* the core's pace at each value; NULL where not known for all */
    size_t *run_counts; /* values of each run of the reference; all at least 1 */
    size_t run_count;   /* at least 1 */
    size_t current_count;
    double *log_ratios; /* of current_count pairs measured together; NULL where they were not */
    double *scratch;    /* room for three times as many values as there are, and each run twice */
    double share;       /* which quantile stands for a side: 0.25 for times, else 0.5 */
    double threshold;   /* the suite's */
    double min_effect;
};

/* What is left to decide on, once all metrics are estimated. */
struct kg_metric_state {
    double scatter; /* between runs of the case: kg_run_scatter; of a pin, those of the others */
    size_t scatter_runs; /* how many runs that is */
    size_t run_count;    /* of the reference */
    bool repeats;        /* all values of a side agree, so that the interval is proof enough */
};

/* Fills the figures of `metric`, p_value not adjusted and threshold not raised yet. */
void kg_metric_estimate(struct kg_metric_input *input, struct kg_metric *metric,
                        struct kg_metric_state *state);

/* Raises the threshold to the noise floor; `usual` is the scatter usual among the cases, or NaN,
 * and `alpha` is shared by `tests` tests. */
void kg_metric_raise(struct kg_metric *metric, const struct kg_metric_state *state, double usual,
                     double alpha, size_t tests);

/* What is usual among the states of many cases; NaN where too few have several runs. `scratch` has
 * room for `count` values. */
double kg_metric_usual(const struct kg_metric_state *states, size_t count, double *scratch);

/* Whether the whole interval lies beyond the threshold, on one side. */
bool kg_metric_outside(const struct kg_metric *metric);

/* Whether the figures are a change beyond the threshold, proven or not. */
bool kg_metric_large(const struct kg_metric *metric);

/* Whether a time on the GPU moved with the multiprocessors' clock, and in cycles did not change. */
bool kg_metric_clock_moved(const struct kg_metric *metric);

/* Whether a changed time is changed in cycles too, the same way; true where
 * cycles are not known. */
bool kg_metric_in_cycles(const struct kg_metric *metric);

/* Decides `change` from the figures. `significant` is whether the evidence is good enough. */
void kg_metric_classify(struct kg_metric *metric, bool significant);

/* Which doubt the interval of a metric leaves that is neither a change nor none. */
enum kg_doubt kg_metric_doubt(const struct kg_metric *metric);

/* The largest absolute effect that the interval allows, in the metric's unit. */
double kg_metric_widest_effect(const struct kg_metric *metric);
