/* baseline_store.h: changes to the store: adds a run, removes old runs. Each change reads a file, changes it, and
 * writes it back under the store's lock. */
#pragma once
#include "base/file_lock.h"
#include "judge/builds.h"
#include "judge/renewal.h"
#include "model/baseline.h"

enum { KG_BASELINE_KEEP_DEFAULT = 5 };

struct kg_baseline_options {
    const char *pin;   /* a name for the new run, which is then never pruned; or NULL */
    size_t keep;       /* ordinary runs kept per suite; at least 1 */
    bool missing_only; /* add only cases that no run of this suite has with the same definition:
                          into the newest ordinary run of the suite, or a new one */
    /* What was accepted: a case whose change is accepted, before the results were measured and not
     * until a day before them, begins its history anew. NULL: nothing */
    const struct kg_waivers *waivers;
    struct kg_renewals *renewals; /* what became of these, added to (renewal.h); or NULL */
    double builds_most; /* bytes of builds to keep; 0: keeps none of these, removes none */
    struct kg_builds_outcome *builds; /* what came of it, where cases were recorded; or NULL */
    const struct kg_lock_wait *wait;  /* for the store's lock; or NULL */
};

/* Adds results to the store of their machine, under the store's lock (DIR/.lock, waiting up to
 * kg_lock_seconds), and prunes: per suite the last `keep` ordinary runs stay, pinned ones always. Of the
 * ordinary ones only the newest keeps its traits.
 * An existing pin of that name is an error that says so. Results with no case of status OK are
 * refused; so are results with `filter` set or not complete, unless missing_only: a partial run
 * would make later comparisons call the rest REMOVED.
 * added   may be NULL; the number of cases recorded, 0 on failure */
bool kg_baseline_update(const char *directory, const struct kg_results *results,
                        const struct kg_baseline_options *options, size_t *added,
                        struct kg_error *err);

struct kg_prune_options {
    size_t keep;       /* ordinary runs of each suite */
    const char *pin;   /* instead: the name of the run to remove */
    const char *run;   /* instead: the time of the ordinary run to remove, or the beginning of it */
    const char *suite; /* only of this one; NULL: of all */
    double builds_most; /* bytes of builds to keep; INFINITY: no limit */
};

struct kg_prune_outcome {
    size_t runs; /* removed */
    struct kg_builds_outcome builds;
};

/* Removes, under the lock, runs of a machine: ordinary runs beyond the last `keep` of each suite,
 * or the run pinned as `pin`, or the ordinary run of the time `run`. Then the builds that no stored run
 * of any machine names any more.
 * err  KG_ERROR_USAGE: no run of that pin or time, several of that time, or only pinned ones */
bool kg_baseline_prune(const char *directory, const char *fingerprint,
                       const struct kg_prune_options *options, struct kg_prune_outcome *outcome,
                       struct kg_error *err);
