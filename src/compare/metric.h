/* metric.h: estimates and classifies one metric of a case against one reference. Pure. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "compare/comparison.h"
#include "stats/stats.h"

/* What an estimate takes. Values are 0 or more; the estimate reorders the arrays. */
struct kg_metric_input {
    double *values;     /* of the reference's runs, one after the other, then the current ones */
    double *paces_ns;   /* the core's pace at each value; NULL unless known for all */
    size_t *run_counts; /* values of each run of the reference; all at least 1 */
    size_t run_count;   /* at least 1 */
    size_t current_count;
    double *log_ratios; /* of current_count pairs measured together; NULL: not paired */
    double *scratch;    /* room for 3 doubles a value and 2 a run */
    double share;       /* the quantile that represents a side: 0.25 for times, else 0.5 */
    double threshold;   /* the suite's */
    double min_effect;
};

/* What the decision needs besides the metric, once all metrics are estimated. */
struct kg_metric_state {
    double scatter; /* between runs of the case: kg_run_scatter; of a pin, from the other runs */
    size_t scatter_runs; /* runs that `scatter` comes from */
    size_t run_count;    /* of the reference */
    bool repeats;        /* all values of each side are equal: the interval alone proves a change */
};

/* Fills the figures of `metric`. p_value is not adjusted yet, threshold not raised yet. */
void kg_metric_estimate(struct kg_metric_input *input, struct kg_metric *metric,
                        struct kg_metric_state *state);

/* Raises the threshold to the noise floor.
 * usual  kg_metric_usual of all cases, or NaN
 * alpha  shared by `tests` tests */
void kg_metric_raise(struct kg_metric *metric, const struct kg_metric_state *state, double usual,
                     double alpha, size_t tests);

/* The usual scatter between runs among the cases; NaN where too few cases have several runs.
 * `scratch` has room for `count` values. */
double kg_metric_usual(const struct kg_metric_state *states, size_t count, double *scratch);

/* Whether the whole interval lies beyond the threshold on one side. */
bool kg_metric_outside(const struct kg_metric *metric);

/* Whether ratio and effect exceed the thresholds, significant or not. */
bool kg_metric_large(const struct kg_metric *metric);

/* Whether a time on the GPU moved with the multiprocessors' clock and did not change in cycles. */
bool kg_metric_clock_moved(const struct kg_metric *metric);

/* Whether a changed time changed in cycles too, in the same direction; true where cycles are
 * unknown. */
bool kg_metric_in_cycles(const struct kg_metric *metric);

/* Decides `change` from the figures. `significant`: the test passed, or the values repeat. */
void kg_metric_classify(struct kg_metric *metric, bool significant);

/* What a metric is called that is neither changed nor unchanged: SUSPECT where all of its interval
 * is worse by more than the threshold, or screening found it worse; else INCONCLUSIVE. Faster by
 * more than the threshold without proof is INCONCLUSIVE: nobody has to look into it. */
enum kg_change kg_metric_undecided(const struct kg_metric *metric);

/* The doubt of a SUSPECT or INCONCLUSIVE metric, from its interval. */
enum kg_doubt kg_metric_doubt(const struct kg_metric *metric);

/* The largest absolute effect within the interval, in the metric's unit. */
double kg_metric_widest_effect(const struct kg_metric *metric);
