/* gate.h: the main job: measures a prepared suite until it is clear, compares it with the stored
 * baseline of this machine, makes suggestions, and writes it all to files. Prints nothing. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "gate/stored_pairs.h"
#include "gate/time_budget.h"
#include "judge/builds.h"
#include "judge/waivers_apply.h"
#include "model/baseline.h"
#include "model/comparison.h"
#include "run/run.h"
#include "why/suggestions.h"

/* A baseline that is not the store's file. */
struct kg_gate_stored {
    const char *path;  /* as errors say it */
    const char *bytes; /* NULL: there is none */
    size_t length;
    const char *place; /* where it was looked for: "origin/main at 1a2b3c4d5e6f" */
};

struct kg_gate_options {
    const char *directory; /* for results.json and the reports; made where it is not there */
    const char *baseline_directory;      /* the store */
    const struct kg_gate_stored *stored; /* in the place of the store's; NULL: the store's */
    bool update_missing;                 /* adds cases that are NEW to the store */
    double builds_most;                  /* as struct kg_baseline_options has it */
    const char *base; /* a build as kg_build_resolve takes it, to settle doubts with; NULL: the
                         builds that the store keeps */
    /* No round begins that would likely end after it; INFINITY: no limit. With a limit, the passes
     * that look at what calls do on the GPU and the CPU are left out. */
    double budget_ns;
    const char *left_out; /* the filter in words, for the results; NULL: nothing left out */
    const struct kg_waiving *waiving; /* NULL: nothing is waived */
    struct kg_progress progress;      /* may be all zero */
    struct kg_foresaid foresaid;      /* likewise */
    /* Called with the verdict before the gate waits for the store's lock; NULL: nobody is. */
    void (*waits)(void *user, const struct kg_comparison *comparison);
    void *waits_user;
};

/* What came of it. Everything here is the gate's until kg_gate_free. */
struct kg_gate {
    const struct kg_results *results; /* NULL where measuring did not begin */
    struct kg_comparison comparison;
    struct kg_suggestions suggestions;
    bool decided;                    /* comparison.json has the verdict, also if recording failed */
    const char *results_path;        /* DIRECTORY/results.json */
    size_t recorded;                 /* cases added to the store */
    struct kg_builds_outcome builds; /* of these cases */
    int signal; /* that stopped measuring, 0 without one: then all this is of what was
                                 measured until then, and nothing was recorded */
    /* the gate's own */
    struct kg_run run;
    struct kg_foresaid foresaid; /* NULL once it was said */
    double budget_ns;
    const char *start_note; /* of the machine, "" without one */
    const double *round_ns; /* of each case's reference */
    struct kg_build base;
    struct kg_settling settling;
    struct kg_settled settled; /* its pairs are in base.json and head.json, if there are any */
    struct kg_baseline baseline;
    const char *base_path;
    struct kg_arena arena;
};

/* Measures, decides, writes results.json and comparison.json, profiles, records, suggests, and writes
 * the reports. Only the results, the comparison and the store can fail it: a profile, suggestions or a
 * report that fails is a note of the comparison, and on standard error. A baseline that cannot be read,
 * and a directory that cannot be made, fail before anything is measured. The results are written also
 * if something fails later, and so are the reports if recording fails.
 * what     must outlive the gate
 * gate     filled; to be freed with kg_gate_free also on failure, when only `results_path`, `signal`,
 *          `recorded` and `decided` may be read, and where it is decided everything
 * returns  whether all of it was done; comparison.exit_status says what was decided */
bool kg_gate_run(const struct kg_prepared_suite *what, const struct kg_gate_options *options,
                 struct kg_gate *gate, struct kg_error *err);
void kg_gate_free(struct kg_gate *gate);
