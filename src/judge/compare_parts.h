/* compare_parts.h: the steps of a comparison. Internal to judge. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/statistics/stats.h"
#include "judge/evidence.h"
#include "judge/reference.h"
#include "model/baseline.h"
#include "model/comparison.h"
#include "model/results.h"

/* decide.c: judges all estimated metrics of a comparison together: the change and the reason code of each. */

/* Settles every metric with the usual noise of the cases and adjusts the p-values of all tests together. Sets `change`,
 * `doubt`, `suspected` and `p_value` of every metric, and the members that explain the decision.
 * tests        number of tests in the family, as in struct kg_results; 0: only the tests of `evidence`
 * asked_alpha  the suite's alpha; at most 2.5 % counts, since a verdict must not contradict its 95 % interval */
void kg_evidence_decide(struct kg_arena *scratch, struct kg_evidence *evidence, size_t count,
                        enum kg_stage stage, size_t tests, double asked_alpha,
                        struct kg_student_points *points);

/* case_history.c: medians of a case in the stored runs. */

/* Sets the history of the case's time from the newest ordinary runs of its reference.
 * arena    owner of the history
 * scratch  needed only during the call */
void kg_past_keep(struct kg_arena *arena, struct kg_arena *scratch,
                  const struct kg_reference *reference, struct kg_case_change *change);

/* Sets the history of a metric other than the case's time, from the same runs. */
void kg_past_keep_metric(struct kg_arena *arena, struct kg_arena *scratch,
                         const struct kg_reference *reference, const struct kg_series *series,
                         struct kg_metric *metric);

/* removed_cases.c: cases of the baseline that the results lack. */

/* Appends a REMOVED case to the comparison for each id of the run `newest` that the results lack. Appends nothing if
 * the results cover a part of the suite or an interrupted run. Such results cannot show that a case was removed.
 * missing     whether such a case counts as lost; false for a profile, whose functions may disappear
 * scratch     needed only during the call
 * comparison  its `cases` have room for all cases of the run; its arena owns the strings */
void kg_removed_append(const struct kg_baseline_run *newest, const struct kg_results *current,
                       bool missing, struct kg_arena *scratch, struct kg_comparison *comparison);

/* level_shift.c: detects that a change of the code moved the stored runs from one level to another. Pure. Internal to
 * src/judge. */

/* Two successive levels of the stored runs. Logarithms. */
struct kg_levels {
    double older, newer; /* NaN: fewer than four runs */
    /* larger of the two ranges, each from the smallest to the largest run of a level */
    double scatter;
};

/* Divides the runs at the largest step between neighbours, oldest run first. With three runs, noise alone makes two
 * levels with the next run beyond both in up to 5 % of cases; with four runs in 1 %. (Simulated with deviations of 5 to
 * 20 %, normal and Student's with 3 degrees of freedom.)
 * locations  logarithms */
struct kg_levels kg_levels_find(const double *locations, size_t count);

/* Sets `step` and `beyond` of a metric if its current rounds are worse than both levels of the stored runs. The step
 * between the levels must exceed the threshold and three times the scatter of one level. The distance of the current
 * rounds from the worse level must exceed this limit by the uncertainty of the current rounds. Reason: kgate counts a
 * step as noise between runs, which would hide the next change. Noise alone seldom makes two levels that lie so far
 * apart.
 * metric  its `better` is set */
void kg_levels_judge(const struct kg_levels *levels, const struct kg_location *now,
                     double threshold, struct kg_metric *metric);

/* workload_spread.c: the workloads that share a change. */

/* Returns "encode: 5 of 5 cases, copy: 1 of 8": the workloads with the most cases of that change. Each has its number of
 * changed cases and of all cases. A waived case is not a changed case. Returns "" unless a workload has two changed
 * cases. In the comparison's arena. */
const char *kg_spread_words(struct kg_comparison *comparison, enum kg_change change);

/* threshold_crossing.c: how to settle a metric whose interval crosses the threshold. */

/* Whether paired rounds measured both builds. If so, the user has no baseline to refresh. */
bool kg_metric_in_pairs(const struct kg_metric *metric);

/* Returns the sentence of KG_DOUBT_CROSSING, in the arena. It asks for more rounds, stored runs or pairs, or for a
 * quieter machine.
 * metric  has an interval */
const char *kg_crossing_words(struct kg_arena *arena, const struct kg_metric *metric);
