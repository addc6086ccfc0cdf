/* baseline_store.h: changes to the store: adds a run, removes old runs. Each change reads a file, changes the baseline,
 * and writes the file under the store's lock. */
#pragma once
#include "base/file_lock.h"
#include "judge/builds.h"
#include "judge/renewal.h"
#include "model/baseline.h"

enum { KG_BASELINE_KEEP_DEFAULT = 5 };

struct kg_baseline_options {
    const char *pin; /* name of the new run, which kgate then never prunes; or NULL */
    size_t keep;     /* number of ordinary runs to keep per suite; at least 1 */
    /* add only cases that no run of this suite has with the same definition: to the newest ordinary run of the suite,
     * or to a new run if the suite has none */
    bool missing_only;
    /* Accepted changes. If a change was accepted before the measurement, the history of its case starts again. A change
     * whose last day is before the measurement does not count. NULL: no change */
    const struct kg_waivers *waivers;
    struct kg_renewals *renewals; /* outcomes of these acceptances, added to (renewal.h); or NULL */
    /* limit for the size of all kept builds, in bytes; 0: no build is kept or removed */
    double builds_most;
    struct kg_builds_outcome *builds; /* filled if cases were recorded; or NULL */
    const struct kg_lock_wait *wait;  /* for the store's lock; or NULL */
};

/* Adds results to the store of their machine. Waits up to kg_lock_seconds for the store's lock (DIR/.lock). Then
 * prunes: the last `keep` ordinary runs per suite and all pinned runs stay. Of the ordinary runs only the newest keeps
 * its features.
 * The function refuses results without a case of status OK, and a pin whose name exists. Unless missing_only, it also
 * refuses results with UNCHANGED cases, results with `filter` set, and incomplete results. A partial run would make
 * later comparisons call the left-out cases REMOVED. Without pin and missing_only, it refuses a run that is already
 * stored.
 * added   number of recorded cases, 0 on failure; may be NULL */
bool kg_baseline_update(const char *directory, const struct kg_results *results,
                        const struct kg_baseline_options *options, size_t *added,
                        struct kg_error *err);

/* Keeps files that no stored run names, with a mark: the builds of a history. They stay while there is room, the least
 * recently used goes first. `kgate baseline prune` removes them only beyond builds_most. Waits for the lock of the
 * builds.
 * most     as builds_most
 * outcome  filled; `problem` is the reason if kgate could keep nothing. Its paths belong to `files` */
void kg_history_builds_keep(const char *directory, const struct kg_measured_file *files,
                            size_t count, double most, struct kg_builds_outcome *outcome);

struct kg_prune_options {
    size_t keep;     /* number of ordinary runs to keep per suite */
    const char *pin; /* instead of `keep`: name of the pinned run to remove */
    /* instead of `keep`: time of the ordinary run to remove, or the beginning of that time */
    const char *run;
    const char *suite;  /* suite to prune; NULL: all suites */
    double builds_most; /* limit for the size of all kept builds, in bytes; INFINITY: no limit */
};

struct kg_prune_outcome {
    size_t runs; /* number of removed runs */
    struct kg_builds_outcome builds;
};

/* Removes, under the lock, runs of a machine: the run pinned as `pin`, or the ordinary run of time `run`, or ordinary
 * runs beyond the last `keep` of each suite. Then removes builds that no stored run of any machine and no history
 * needs.
 * err  KG_ERROR_USAGE: no run has that pin or time, several runs have that time, or only pinned runs have it */
bool kg_baseline_prune(const char *directory, const char *fingerprint,
                       const struct kg_prune_options *options, struct kg_prune_outcome *outcome,
                       struct kg_error *err);
