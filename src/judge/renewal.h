/* renewal.h: makes a new run the baseline of a case if the run has an accepted change. The case's history then starts
 * again. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "model/baseline.h"

/* Outcome of an acceptance that begins no stored run yet. */
struct kg_renewal {
    const char *id;
    const char *why_not; /* end of a sentence, after the id; NULL: the baseline is renewed */
};

/* Zero-initialise: none. */
struct kg_renewals {
    struct kg_arena arena; /* owner of everything below */
    struct kg_renewal *renewals;
    size_t count, capacity;
};

/* Sets `accepted` of the run's cases: the newest accepted change that applies to the run, else `accepted` of the newest
 * stored run. A change applies if it was accepted before the run, and not only until an earlier day. An acceptance does
 * not renew the baseline beyond its limit, measured from the newest run stored before the acceptance. If only another
 * metric is accepted and the time rose, the acceptance also renews nothing.
 * waivers    NULL: nothing is accepted
 * renewals   gets the outcome of each stored case with an acceptance, replacing its earlier outcome; or NULL */
void kg_renewals_mark(const struct kg_baseline *baseline, const struct kg_waivers *waivers,
                      struct kg_baseline_run *run, struct kg_renewals *renewals);

/* Writes one line per case: "renewed: CASE" and how to remove its entry, or "not renewed: CASE is further from ...".
 * waivers  accepted changes with the path of their file
 * suite    path of the suite; NULL or "": unknown */
void kg_renewals_text(const struct kg_renewals *renewals, const struct kg_waivers *waivers,
                      const char *suite, struct kg_text *text);
void kg_renewals_free(struct kg_renewals *renewals);
