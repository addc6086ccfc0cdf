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

/* decide.c: judges all estimated metrics of a comparison together: the change and doubt of each. */

/* tests  that these are made together with, as struct kg_results has it; 0: no others
 * asked_alpha  the suite's; above 2.5 % it is taken for that, so that no verdict contradicts its
 *              95 % interval
 *
 * Settles every metric by what is usual among the cases, adjusts the p-values of all tests
 * together, and sets `change`, `doubt`, `suspected` and `p_value` of every metric, and the members
 * they were decided from. */
void kg_evidence_decide(struct kg_arena *scratch, struct kg_evidence *evidence, size_t count,
                        enum kg_stage stage, size_t tests, double asked_alpha,
                        struct kg_student_points *points);

/* case_history.c: what a case was in the stored runs. */

/* Sets the history of the case's time from the ordinary runs that it is compared with: of many the newest.
 * arena    owns it
 * scratch  for the time of the call */
void kg_past_keep(struct kg_arena *arena, struct kg_arena *scratch,
                  const struct kg_reference *reference, struct kg_case_change *change);

/* The same of the metric of a series, which is not the case's time. */
void kg_past_keep_metric(struct kg_arena *arena, struct kg_arena *scratch,
                         const struct kg_reference *reference, const struct kg_series *series,
                         struct kg_metric *metric);

/* removed_cases.c: cases that the baseline has and the results have not. */

/* Appends to the comparison a REMOVED case for each id of the run `newest` that the results have
 * not. Nothing where the results are of a part of the suite, or of a run that was interrupted: they
 * say nothing about what is not in them.
 * missing     whether such a case was lost, and not taken away as a function of a program is
 * scratch     holds what is needed meanwhile
 * comparison  its `cases` have room for all of the run's; the strings live in its arena */
void kg_removed_append(const struct kg_baseline_run *newest, const struct kg_results *current,
                       bool missing, struct kg_arena *scratch, struct kg_comparison *comparison);

/* level_shift.c: stored runs that a change of the code moved from one level to another. Pure. Internal to
 * src/judge. */

/* Where runs lie on two levels, one after the other: logarithms. */
struct kg_levels {
    double older, newer; /* NaN: there are fewer than four runs */
    double scatter;      /* the wider of both: from the least to the largest of its runs */
};

/* Divides runs, oldest first, at the largest step from one to the next. Of three runs noise alone makes
 * two levels, with the next run beyond both, in up to 5 % of cases; of four in 1 % (simulated with
 * deviations of 5 to 20 %, normal and Student's with 3 degrees of freedom).
 * locations  logarithms */
struct kg_levels kg_levels_find(const double *locations, size_t count);

/* Sets `step` and `beyond` of a metric whose current rounds are worse than both levels, by more than
 * the threshold and than their own doubt, where both the step and that are three times what the runs
 * of one level scatter by. The step counts as noise between runs, and would hide the next change;
 * noise alone seldom makes two levels so much further apart than the runs on each.
 * metric  its `better` is known */
void kg_levels_judge(const struct kg_levels *levels, const struct kg_location *now,
                     double threshold, struct kg_metric *metric);

/* workload_spread.c: over which workloads a change is spread. */

/* "all 5 of encode, 1 of 8 of copy": the workloads with the most cases of that change that nothing
 * waives, and of how many; "" where none has more than one. In the comparison's arena. */
const char *kg_spread_words(struct kg_comparison *comparison, enum kg_change change);

/* threshold_crossing.c: what would settle a metric whose interval crosses the threshold. */

/* Whether both builds were measured in turn: then there is no baseline to refresh. */
bool kg_metric_in_pairs(const struct kg_metric *metric);

/* The sentence of KG_DOUBT_CROSSING, in the arena: how many more rounds, more stored runs, pairs or a
 * quieter machine. The metric has an interval. */
const char *kg_crossing_say(struct kg_arena *arena, const struct kg_metric *metric);
