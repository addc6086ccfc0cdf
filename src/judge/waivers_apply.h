/* waivers_apply.h: accepted and quarantined changes fail nothing. kgate applies them after the comparison and the
 * paired rounds. Also the instability of a case, from its stored runs. Pure. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "model/comparison.h"
#include "model/waivers.h"

struct kg_waiving {
    const struct kg_waivers *waivers;
    const char *today; /* UTC, "2026-01-31", or a time that begins with this date */
    /* Workloads that the trusted suite lacks. Their cases fail nothing. */
    const char *const *untrusted;
    size_t untrusted_count;
    /* source of the trusted files, in words; NULL: no --trust */
    const char *trust;
    const char *const *edits;
    size_t edit_count; /* edits of the trusted files by the change, and whether kgate used them */
    const char *uncovered; /* note about parts that the trust does not cover; NULL: none */
};

/* Sets the comparison's `trust` and `edits` and each case's `waived`, `waiver` and `instability`, and decides the
 * verdict again. Keeps the notes and adds a note for:
 * - an unstable case that is not in quarantine;
 * - an entry whose case the results lack, unless the results leave cases out;
 * - an entry whose `since` is in the future;
 * - parts that the trust does not cover.
 *
 * An acceptance covers a case if it names every metric that is or may be worse. No metric may exceed the accepted limit
 * by more than its interval. An acceptance never covers a budget. A quarantine ends once the suite's `quarantine.runs`
 * stored runs since then are stable. Both end after their last day. Neither covers a FAILED, SKIPPED or REMOVED case.
 * comparison         from kg_compare, or later from kg_comparison_settle
 * baseline, current  its input */
void kg_comparison_waive(struct kg_comparison *comparison, const struct kg_baseline *baseline,
                         const struct kg_results *current, const struct kg_waiving *waiving);

/* Instability of a case: the median step between successive stored runs, over the median of the runs. Of two middle
 * steps takes the smaller. One step to a new level does not make a case unstable.
 * medians  time in each run, oldest first; unchanged
 * room     space for as many values
 * returns  share; NaN for fewer than three runs */
double kg_instability(const double *medians, size_t count, double *room);

/* acceptable.c: which changes of a comparison a user can accept, and up to which size. Pure. */

/* Whether an acceptance of this metric would cover a change for the worse, proven or suspected. If the metric has
 * several references, such as a pin, true only for the reference with the largest change. Its entry covers the other
 * references. False for a budget, because no acceptance moves a limit.
 * change  the case of the metric */
bool kg_is_acceptable(const struct kg_case_change *change, const struct kg_metric *metric);

/* Returns the largest ratio to accept: the worse end of the 95 % interval. The next gate of the same build measures any
 * value within the interval. Returns the ratio if there is no interval beyond it. */
double kg_acceptable_bound(const struct kg_metric *metric);

/* Returns that ratio as a share, rounded away from 0 to a tenth of a per cent: 0.124 is "+12.4 %". */
double kg_acceptable_change(const struct kg_metric *metric);
