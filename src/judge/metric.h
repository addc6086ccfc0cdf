/* metric.h: estimates and classifies one metric of a case against one reference. Pure. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/statistics/stats.h"
#include "model/comparison.h"
#include "model/metric_table.h"

/* What an estimate takes. Values are 0 or more; the estimate reorders the arrays. */
struct kg_metric_input {
    double *values;     /* of the reference's runs, one after the other, then the current ones */
    double *paces_ns;   /* the core's pace at each value; NULL unless known for all */
    size_t *run_counts; /* values of each run of the reference; all at least 1 */
    size_t run_count;   /* at least 1 */
    size_t current_count;
    double *log_ratios; /* of current_count pairs measured together; NULL: not paired */
    double *scratch;    /* room for 3 doubles a value and 2 a run */
    struct kg_student_points *points; /* of all estimates; or NULL */
    enum kg_proof proof;
    double threshold; /* the suite's */
    double min_effect;
};

/* What a metric is judged by, besides its figures, once those of all cases are known. */
struct kg_metric_state {
    bool tested;  /* by Student's t; else the bootstrap interval decides */
    bool repeats; /* all values of each side are alike: the interval alone proves a change */
    /* Of a tested one, in logarithms. */
    double difference;        /* current less base, or the location of the pairs' log ratios */
    struct kg_variance round; /* of a round's value, both sides pooled, or of a pair's log ratio */
    double base_rounds;       /* that a run of the base is worth; infinite of pairs */
    double current_rounds;    /* that the current run, or the pairs, are worth */
    double explained; /* variance of a run's location by the scatter of its rounds; 0 of pairs */
    struct kg_variance between; /* of the runs' locations, over what their rounds explain; of a pin
                                   that of the ordinary runs. freedom 0: one run, not known */
    size_t run_count;           /* of the reference */
    /* The test by ranks, one-sided, and the smallest p that so many rounds can give. NaN where runs
     * differ in ways that rounds do not show, and of pairs: two wild ones of twenty, which the
     * trimmed mean leaves out, are those that count most in a signed-rank test. */
    double rank_p;
    double rank_least;
};

/* What is usual among the cases of a suite. */
struct kg_metric_usual {
    struct kg_variance round;
    struct kg_variance between;
};

/* Fills the figures of `metric` from its own values alone; p_value is one-sided and not adjusted.
 * Of values that are not tested p_value is NaN. */
void kg_metric_estimate(struct kg_metric_input *input, struct kg_metric *metric,
                        struct kg_metric_state *state);

/* What is usual among `count` states, the tested of them.
 * scratch  room for `count` variances */
struct kg_metric_usual kg_metric_usual(const struct kg_metric_state *states, size_t count,
                                       struct kg_variance *scratch);

/* Estimates interval, p_value and noise_floor again, with what is usual among the cases.
 * tests  made together at `alpha`: where the rounds are enough for a test by ranks at that level,
 *        it must agree
 * points  of all estimates; or NULL */
void kg_metric_settle(struct kg_metric *metric, const struct kg_metric_state *state,
                      const struct kg_metric_usual *usual, double alpha, size_t tests,
                      struct kg_student_points *points);

/* Adds to the threshold what the clock, the memory and waiting for a CPU leave in doubt; where
 * nothing was tested, it is at least what runs differ by. */
void kg_metric_raise(struct kg_metric *metric);

/* Whether the whole interval lies beyond the threshold on one side. */
bool kg_metric_outside(const struct kg_metric *metric);

/* Whether the whole interval is worse by more than this factor, and the difference by more than the
 * least effect. */
bool kg_metric_worse_by(const struct kg_metric *metric, double factor);

/* Whether the change may be as large as the threshold, and differs by more than the least effect:
 * the interval of a tested metric reaches the threshold, or the ratio of another exceeds it. */
bool kg_metric_large(const struct kg_metric *metric);

/* Whether a time on the GPU moved with the multiprocessors' clock and did not change in cycles. */
bool kg_metric_clock_moved(const struct kg_metric *metric);

/* Whether a changed time changed in cycles too, in the same direction; true where cycles are
 * unknown. */
bool kg_metric_in_cycles(const struct kg_metric *metric);

/* Decides `change` from the figures. `significant`: the test passed, or the values repeat. */
void kg_metric_classify(struct kg_metric *metric, bool significant);

/* What a metric is called that is neither changed nor unchanged: SUSPECT where all of its interval
 * is worse by more than the threshold, as it is without what rounds waited for a CPU, or screening
 * found it worse and nothing confirmed it, or the adjusted p is at most 5 % and the estimate is worse
 * by twice the threshold; else INCONCLUSIVE. Faster by
 * more than the threshold without proof is INCONCLUSIVE: nobody has to look into it. */
enum kg_change kg_metric_undecided(const struct kg_metric *metric);

/* Whether rounds without end would make it clear: false where the noise between runs alone leaves
 * both "unchanged" and "as large as the threshold" open. */
bool kg_metric_rounds_settle(const struct kg_metric *metric);

/* The doubt of a SUSPECT or INCONCLUSIVE metric, from its interval. */
enum kg_doubt kg_metric_doubt(const struct kg_metric *metric);

/* Whether nothing within the interval is worse by as much as counts: what is left open is only how
 * much better it is. False without an interval, or with too few rounds for one to say anything; also
 * where the rounds' means, or the CPU time of their calls, are worse. With the same code, and an interval that
 * holds "no change", what another load explains does not count either. */
bool kg_metric_not_worse(const struct kg_metric *metric);

/* The largest absolute effect within the interval, in the metric's unit. */
double kg_metric_widest_effect(const struct kg_metric *metric);
