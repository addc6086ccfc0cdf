/* acceptable.h: what of a comparison can be accepted on purpose, and how much of it. Pure. */
#pragma once
#include "model/comparison.h"

/* Whether an acceptance of this metric covers something that became worse, or may have. Of a metric that is
 * compared with several references, such as a pin, only the one that is furthest from its own is: one entry
 * covers them all. A budget is a limit, which no acceptance moves.
 * change  the case that has the metric */
bool kg_is_acceptable(const struct kg_case_change *change, const struct kg_metric *metric);

/* The ratio up to which it is accepted: the worse end of the 95 % interval, since the next gate of the same build
 * measures anything within it; the ratio itself where there is no interval beyond it. */
double kg_acceptable_bound(const struct kg_metric *metric);

/* That as a share, rounded away from 0 to a tenth of a per cent: 0.124 is "+12.4 %". */
double kg_acceptable_change(const struct kg_metric *metric);
