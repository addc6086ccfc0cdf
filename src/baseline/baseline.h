/* baseline.h: the stored runs of a machine, one JSON file per machine fingerprint:
 * DIR/<fingerprint>.json, kgate.baseline.v2.
 *
 * Other folders also include baseline_index.h (finds stored cases), builds.h (the builds behind
 * stored runs), build_names.h (which builds the runs name), renewal.h (which accepted changes begin a history
 * anew) and store_check.h (what can be said of a store before anything is measured). */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "baseline/builds.h"
#include "config/waivers.h"
#include "results/results.h"
#include "results/traits.h"
#include "util/file_lock.h"

#define KG_BASELINE_SCHEMA "kgate.baseline.v2"

enum { KG_BASELINE_KEEP_DEFAULT = 5 };

/* The values of one metric of a stored case, those of judged rounds. */
struct kg_baseline_series {
    const char *name;   /* as in struct kg_series, or one of those below */
    const char *source; /* values of different sources are not compared */
    double *values;
    size_t value_count;
};

/* Series of the source "rounds" that no metric is called as: the core's pace in each round, the mean
 * of its samples, and the CPU time of a call, in ns. */
#define KG_SERIES_PULSE "pulse"
#define KG_SERIES_MEAN "mean_time"
#define KG_SERIES_CALL_CPU "call_cpu_time"
/* In ns, of the base of pairs on a machine that was too busy: kg_round_least_ns of each round. */
#define KG_SERIES_LEAST "least_time"

/* One case of a stored run: what a comparison needs of it. */
struct kg_baseline_case {
    const char *id;
    const char *definition_hash;
    struct kg_code_identity code; /* without a hash where not known */
    const char *build; /* hash of the file that it was measured with, which builds.h may have;
                              NULL where not known */
    const char
        *accepted;   /* `since` of the accepted change that its history begins with: only stored
                             cases of the same are compared with; NULL: none */
    uint64_t batch;  /* calls a sample, of its rounds; 0 where not known */
    double round_ns; /* measured time of its rounds; 0: the suite's min_time */
    struct kg_baseline_series *series;
    size_t series_count;
    double *traits; /* by the run's trait_names; those left out at the end are not known */
    size_t trait_count;
};

/* One stored run. Several suites share a file; runs of other suites are never touched. */
struct kg_baseline_run {
    const char *created;
    const char *suite;
    const char *commit; /* as struct kg_results has it, and the next */
    const char *branch;
    const char *pin; /* its name; NULL: an ordinary run, one of the last N */
    const char *kgate_version;
    const char *kernel; /* facts beside the fingerprint, for the report */
    const char *governor;
    const char *vectors;
    const char *blas;
    const char *compiler;
    const char *nvidia_driver;
    const char *cuda_driver;
    const char *cuda_toolkit;
    const char *gpu_ecc; /* of the GPU that was chosen, as struct kg_gpu has it */
    const char *gpu_mig;
    double gpu_sm_clock_hz;
    double gpu_memory_clock_hz;
    struct kg_environment environment; /* the caller's, of the workloads */
    const char *pair;                  /* of an `ab`'s base side; else NULL */
    double pulse_ns; /* medians of the probe's readings; NaN where there are none */
    double bandwidth_bytes_per_s;
    double latency_ns;
    const char **trait_names; /* of the cases' traits; none in ordinary runs but a suite's newest */
    size_t trait_name_count;
    struct kg_baseline_case *cases; /* those of status OK */
    size_t case_count;
};

struct kg_baseline {
    struct kg_arena arena; /* owns everything below */
    const char *fingerprint;
    struct kg_machine machine;    /* of the newest run */
    struct kg_baseline_run *runs; /* oldest first */
    size_t run_count;
    bool expected; /* to have the suite: a file that a user named, or a gate that records nothing */
    bool records;  /* a gate adds the cases that it lacks */
    const char *missing; /* what was looked for and is not there, as kg_store_missing says it; or
                            NULL. Its maker's, not the arena's */
};

extern const struct kg_record kg_baseline_record;

/* Results as a baseline of one run, which borrows their strings: free it first. For
 * `compare BASE CURRENT`. The base of pairs also has the cases that the machine was too busy for, with
 * all of their rounds. */
bool kg_baseline_from_results(const struct kg_results *results, struct kg_baseline *baseline,
                              struct kg_error *err);

/* Results as a run that borrows their strings; arrays in `arena`. false where memory is out. */
bool kg_baseline_run_make(struct kg_arena *arena, const struct kg_results *results,
                          struct kg_baseline_run *run);

/* The case's series of that name and source; NULL where it has none with values. */
const struct kg_baseline_series *kg_baseline_series_find(const struct kg_baseline_case *stored,
                                                         const char *name, const char *source);

/* How many cases of the run were measured with other machine code, or other libraries, than in the
 * suite's run before it. Cases that the run before does not have, or whose code is not known, do not count. */
size_t kg_baseline_code_changes(const struct kg_baseline *baseline, size_t run);

/* How many rounds it has: the values of its time. */
size_t kg_baseline_rounds(const struct kg_baseline_case *stored);

/* The traits that the run has of one of its cases. Names that this kgate does not know are left
 * aside; what the run does not have is NaN. */
void kg_baseline_traits(const struct kg_baseline_run *run, const struct kg_baseline_case *stored,
                        struct kg_traits *traits);

/* The store's file for a machine: DIR/<fingerprint>.json, in `arena`. NULL where memory is out. */
char *kg_baseline_path(struct kg_arena *arena, const char *directory, const char *fingerprint);

/* Reads a file of the store; a file that is not there gives an empty baseline and true.
 * Refuses duplicate pins and case ids, non-positive medians, negative traits. */
bool kg_baseline_load(const char *path, struct kg_baseline *baseline, struct kg_error *err);
/* The same from memory; `path` is what errors say. */
bool kg_baseline_parse(const char *path, const char *bytes, size_t length,
                       struct kg_baseline *baseline, struct kg_error *err);
void kg_baseline_free(struct kg_baseline *baseline);

/* Whether it can be: what kg_baseline_load refuses beyond the types and ranges of fields. */
bool kg_baseline_validate(const struct kg_baseline *baseline, struct kg_error *err);

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
