/* levels.h: stored runs that a change of the code moved from one level to another. Pure. Internal to
 * src/compare. */
#pragma once
#include <stddef.h>

#include "base/statistics/stats.h"
#include "model/comparison.h"

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
