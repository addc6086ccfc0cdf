/* gate.h: the main job: measures a prepared suite until the result is clear and compares it with the stored baseline of
 * this machine. Then makes suggestions and writes files. Prints nothing. */
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

/* A baseline from outside the store. */
struct kg_gate_stored {
    const char *path;  /* path for error messages */
    const char *bytes; /* NULL: no baseline */
    size_t length;
    const char *prior_path;  /* likewise, of the prior beside it */
    const char *prior_bytes; /* NULL: no prior */
    size_t prior_length;
    const char *place; /* source of the baseline: "origin/main at 1a2b3c4d5e6f" */
};

struct kg_gate_options {
    const char *directory; /* folder for results.json and the reports; created if missing */
    const char *baseline_directory; /* folder of the store */
    const char *baselines_named;    /* the same folder if the user named it; else NULL */
    const char *again; /* options that repeat this gate, after its suite and folder; or NULL */
    /* baseline to use instead of the store's; NULL: the store's */
    const struct kg_gate_stored *stored;
    bool update_missing; /* whether to add NEW cases to the store */
    double builds_most;  /* as in struct kg_baseline_options */
    /* a build for kg_build_resolve that settles undecided cases; NULL: the builds in the store */
    const char *base;
    /* Time limit: no round begins that would likely end after it; INFINITY: no limit. With a limit the gate does not
     * profile calls on the GPU and the CPU. */
    double budget_ns;
    const char *left_out;             /* the filter in words, for the results; NULL: no filter */
    const struct kg_waiving *waiving; /* NULL: nothing is waived */
    struct kg_progress progress;      /* may be all zero */
    struct kg_warning warned;         /* may be all zero */
    /* Called with the verdict before the gate waits for the store's lock; or NULL. */
    void (*waits)(void *user, const struct kg_comparison *comparison);
    void *waits_user;
};

/* Outcome of a gate, which owns everything until kg_gate_free. */
struct kg_gate {
    const struct kg_results *results; /* NULL if the measurement did not begin */
    struct kg_comparison comparison;
    struct kg_suggestions suggestions;
    bool decided;                    /* comparison.json has the verdict, even if recording failed */
    const char *results_path;        /* DIRECTORY/results.json */
    size_t recorded;                 /* number of cases added to the store */
    struct kg_builds_outcome builds; /* builds of the added cases */
    /* signal that stopped the measurement, or 0; the outcome then covers the rounds measured until the signal, and
     * nothing was recorded */
    int signal;
    /* internal: */
    struct kg_run run;
    struct kg_warning warned; /* empty after its note */
    double budget_ns;
    const char *start_note; /* note about the machine, or "" */
    const double *round_ns; /* measured time per round of each case's reference, in ns */
    struct kg_build base;
    struct kg_settling settling;
    struct kg_settled settled; /* paired rounds, if any, are in base.json and head.json */
    struct kg_baseline baseline;
    const char *base_path;
    struct kg_arena arena;
};

/* Measures, decides, writes results.json and comparison.json, profiles, records, suggests, and writes the reports. Only
 * the results, the comparison and the store can fail the gate. If a profile, the suggestions or a report fails, the
 * comparison gets a note, which also goes to standard error.
 * The gate fails before it measures if the baseline is unreadable or the directory cannot be created. If a later step
 * fails, the results are still written. If recording fails, the reports are still written.
 * what     must outlive the gate
 * gate     filled; the caller frees it with kg_gate_free, also on failure. After a failure the caller may read only
 *          `results_path`, `signal`, `recorded` and `decided`. If `decided`, the caller may read everything.
 * returns  whether every step succeeded; comparison.exit_status has the verdict */
bool kg_gate_run(const struct kg_prepared_suite *what, const struct kg_gate_options *options,
                 struct kg_gate *gate, struct kg_error *err);
void kg_gate_free(struct kg_gate *gate);
