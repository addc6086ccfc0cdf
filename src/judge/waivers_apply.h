/* waivers_apply.h: what was accepted, and what is in quarantine, fails nothing: after the comparison, and with
 * what pairs settled. How unstable a case is, by its stored runs. Pure. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "model/comparison.h"
#include "model/waivers.h"

struct kg_waiving {
    const struct kg_waivers *waivers;
    const char *today; /* UTC, "2026-01-31", or a time that begins so */
    /* Workloads that the trusted suite does not have: what becomes of their cases fails nothing. */
    const char *const *untrusted;
    size_t untrusted_count;
    const char *trust; /* what is trusted, in words; NULL: what was given */
    const char *const *edits;
    size_t edit_count;     /* what the change edited of it, and whether that was used */
    const char *uncovered; /* a note of what it does not cover; NULL: none */
};

/* Sets the comparison's `trust` and `edits`, each case's `waived`, `waiver` and `instability`, and decides the verdict anew; notes stay, and
 * one is added of each case that is unstable and not in quarantine, of each entry whose case the results do
 * not have, unless they leave cases out, of each whose `since` is in the future, and of what the trust does
 * not cover.
 *
 * An acceptance covers a case where each metric that is worse, or may be, is one that it names, and is
 * not worse than it says by more than the interval. A budget is not covered. A quarantine holds until the
 * suite's `quarantine.runs` stored runs since then are stable. Both end after their last day; neither
 * covers a case that FAILED, is SKIPPED or REMOVED.
 * comparison         of kg_compare, or of kg_comparison_settle after it
 * baseline, current  that it was made of */
void kg_comparison_waive(struct kg_comparison *comparison, const struct kg_baseline *baseline,
                         const struct kg_results *current, const struct kg_waiving *waiving);

/* The typical step of a case from one stored run to the next: the median of these steps, of two the
 * smaller, over the median of the runs. One step to a new level is none of instability.
 * medians  of the time in each run, oldest first; kept as they are
 * room     for as many
 * returns  a share; NaN of fewer than three runs */
double kg_instability(const double *medians, size_t count, double *room);

/* acceptable.c: what of a comparison can be accepted on purpose, and how much of it. Pure. */

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
