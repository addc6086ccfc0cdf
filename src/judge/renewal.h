/* renewal.h: which accepted changes a new run makes the baseline of their cases: there the history of the
 * case begins anew. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "model/baseline.h"

/* What became of a case's acceptance that no stored run begins with yet. */
struct kg_renewal {
    const char *id;
    const char *why_not; /* a sentence's end, after the id; NULL: the baseline is renewed */
};

/* Zero-initialise: none. */
struct kg_renewals {
    struct kg_arena arena; /* owns everything below */
    struct kg_renewal *renewals;
    size_t count, capacity;
};

/* Sets `accepted` of the run's cases: the newest change that was accepted before the run and not until a
 * day before it, else that of the newest stored run. An acceptance renews no more than it says: where the
 * run is further from the newest one that was stored before the change was accepted, and where only another
 * metric was accepted and the time rose, it does not.
 * waivers    NULL: nothing is accepted
 * renewals   what became of each case that is stored and has an acceptance; a case that is there already
 *            is renewed once one run did; or NULL */
void kg_renewals_mark(const struct kg_baseline *baseline, const struct kg_waivers *waivers,
                      struct kg_baseline_run *run, struct kg_renewals *renewals);

/* "renewed: CASE", and how its entry can go, or "not renewed: CASE is further from ...", a line each.
 * waivers  where the entries are
 * suite    its path; NULL or "": not known */
void kg_renewals_text(const struct kg_renewals *renewals, const struct kg_waivers *waivers,
                      const char *suite, struct kg_text *text);
void kg_renewals_free(struct kg_renewals *renewals);
