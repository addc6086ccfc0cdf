/* metric.h: estimates and classifies one metric of a case against one reference. Pure. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/statistics/stats.h"
#include "model/comparison.h"
#include "model/metric_table.h"

/* Input of an estimate. Values are at least 0. The estimate reorders the arrays. */
struct kg_metric_input {
    double *values;     /* values of the reference's runs, run by run, then the current values */
    double *paces_ns;   /* clock probe of each value, in ns; NULL unless known for all values */
    size_t *run_counts; /* number of values of each run of the reference; each at least 1 */
    size_t run_count;   /* at least 1 */
    size_t current_count;
    double *log_ratios; /* log ratios of current_count paired rounds; NULL: no pairs */
    double *scratch;    /* room for 3 doubles per value and 2 per run */
    struct kg_student_points *points; /* shared by all estimates; or NULL */
    enum kg_proof proof;
    double threshold; /* the suite's threshold, as a share */
    double min_effect;
};

/* Usual noise: of the cases of a suite, or of one case by its history. Freedom 0: unknown. */
struct kg_metric_usual {
    struct kg_variance round;
    /* of a suite: as `between` of a state; by a history: the variance between runs that their rounds do not explain */
    struct kg_variance between;
};

/* State that the judgement of a metric needs, besides its estimate, once all cases are estimated. */
struct kg_metric_state {
    bool tested; /* whether Student's t decides; else the bootstrap interval decides */
    /* whether the values of each side are alike; the interval alone then proves a change */
    bool repeats;
    bool shifted; /* a value is 0, so the estimate added 1 to all values */
    /* Only if tested, in logarithms: */
    double difference; /* current minus baseline, or the location of the pairs' log ratios */
    /* variance of a round's value, both sides pooled, or of a pair's log ratio */
    struct kg_variance round;
    double base_rounds;    /* effective rounds per run of the reference; infinite for pairs */
    double current_rounds; /* effective rounds of the current run, or effective pairs */
    /* variance of a run's location that the scatter of its rounds explains; 0 for pairs */
    double explained;
    /* variance of the runs' locations, over `explained`; a pin uses that of the ordinary runs. freedom 0: one run, so
     * unknown */
    struct kg_variance between;
    size_t run_count;             /* number of runs of the reference */
    struct kg_metric_usual prior; /* by the history of this metric */
    /* One-sided p-value of the rank test, and the smallest p-value that the number of rounds allows. NaN for several
     * runs, whose differences rounds do not show. NaN also for pairs: the two wildest of twenty pairs, which the
     * trimmed mean leaves out, would dominate a signed-rank test. */
    double rank_p;
    double rank_least;
};

/* Estimates `metric` from its own values alone. p_value is one-sided and not adjusted; NaN: not tested. */
void kg_metric_estimate(struct kg_metric_input *input, struct kg_metric *metric,
                        struct kg_metric_state *state);

/* Usual noise of the tested metrics among `count` states.
 * scratch  room for `count` variances */
struct kg_metric_usual kg_metric_usual(const struct kg_metric_state *states, size_t count,
                                       struct kg_variance *scratch);

/* Estimates interval, p_value and noise_floor again, with the usual noise of the cases or with the prior. Each variance
 * takes the one with more degrees of freedom. If an F test contradicts the prior, it takes the usual noise.
 * tests   number of tests at `alpha`; if the rounds are enough for a rank test at that level, the rank test must agree
 * points  shared by all estimates; or NULL */
void kg_metric_settle(struct kg_metric *metric, const struct kg_metric_state *state,
                      const struct kg_metric_usual *usual, double alpha, size_t tests,
                      struct kg_student_points *points);

/* Raises the threshold by the uncertainty from the clock, the memory bandwidth and waits for a CPU. The threshold of an
 * untested metric is at least the noise floor. */
void kg_metric_raise(struct kg_metric *metric);

/* Whether the whole interval lies beyond the threshold on one side. */
bool kg_metric_outside(const struct kg_metric *metric);

/* Whether the whole interval is worse by more than this factor, and the difference exceeds the smallest effect that
 * counts. */
bool kg_metric_worse_by(const struct kg_metric *metric, double factor);

/* Whether the change may reach the threshold, and the difference exceeds the smallest effect that counts. For a tested
 * metric the interval must reach beyond the threshold, for another metric the ratio. */
bool kg_metric_large(const struct kg_metric *metric);

/* Whether a GPU time moved with the multiprocessors' clock while its number of cycles did not change. False for a
 * memory-bound time that changed by more than its clocks explain. */
bool kg_metric_clock_moved(const struct kg_metric *metric);

/* Whether a changed time also changed in cycles, in the same direction. True if the cycles are unknown. A memory-bound
 * time must change by more than its clocks explain instead. */
bool kg_metric_in_cycles(const struct kg_metric *metric);

/* Decides `change` from the estimate.
 * significant  whether the test passed or the values repeat */
void kg_metric_classify(struct kg_metric *metric, bool significant);

/* Returns SUSPECT or INCONCLUSIVE for a metric that is neither changed nor unchanged.
 * SUSPECT  if the metric is worse, and:
 *          - its whole interval is beyond the threshold, perhaps only without the waits for a CPU; or
 *          - screening found it worse and no later round confirmed it; or
 *          - it is worse than both levels of the stored runs; or
 *          - the adjusted p-value is at most 5 % and the estimate is worse by twice the threshold.
 * An unproven improvement is INCONCLUSIVE, because nobody has to investigate it. */
enum kg_change kg_metric_undecided(const struct kg_metric *metric);

/* Whether more rounds can settle the metric. False if the noise between runs alone leaves both "unchanged" and "as
 * large as the threshold" open. */
bool kg_metric_rounds_settle(const struct kg_metric *metric);

/* Returns the reason code of a SUSPECT or INCONCLUSIVE metric, from its interval. */
enum kg_doubt kg_metric_doubt(const struct kg_metric *metric);

/* Whether the interval excludes a change for the worse that counts. False without an interval or with too few rounds.
 * Also false if the rounds' means or the CPU time per call are worse. If the code is the same and the interval includes
 * "no change", the limit is KG_SHARED_MOST. Another load can explain a smaller change. */
bool kg_metric_not_worse(const struct kg_metric *metric);

/* Returns the largest absolute effect within the interval, in the metric's unit. */
double kg_metric_widest_effect(const struct kg_metric *metric);
