/* ab.h: measures two builds in interleaved rounds until the result is clear, compares them, and writes files. Like
 * gate.h, but without a stored baseline: the rounds of the base are the baseline. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/advice.h"
#include "base/shell_words.h"
#include "gate/time_budget.h"
#include "judge/waivers_apply.h"
#include "model/baseline.h"
#include "model/comparison.h"
#include "run/pairing.h"
#include "why/suggestions.h"

struct kg_ab_options {
    const char *base; /* a build for kg_build_resolve; with `base_words`: the command's name */
    const char *head;
    const char *base_label; /* name of the side in errors: "--base", or "OLD" for an operand */
    const char *head_label;
    /* command that repeats this `ab`, without --budget; NULL: not repeatable, since a pipeline owns its folders */
    const char *again;
    bool is_filtered;       /* whether the command selects cases of the suite */
    const char *base_title; /* names of the sides in the comparison; both NULL: no names */
    const char *head_title;
    const struct kg_build
        *base_build; /* a resolved build instead of `base`, with its name; or NULL */
    const struct kg_build *head_build;
    size_t tests;               /* least number of tests, as in struct kg_results; 0: the suite's */
    struct kg_words base_words; /* words of the command to measure; empty: the side is a build */
    struct kg_words head_words;
    /* folder for base.json, head.json and the reports, created if missing; NULL: kgate writes no file */
    const char *directory;
    const bool *alone; /* as in struct kg_pairing_options */
    double budget_ns;  /* as in struct kg_gate_options, like the next two */
    const char *left_out;
    const struct kg_waiving *waiving; /* NULL: nothing is waived */
    struct kg_progress progress;
    struct kg_warning warned;
};

/* Outcome of an `ab`. It owns everything until kg_ab_free. */
struct kg_ab {
    const struct kg_results *base; /* both NULL if the measurement did not begin */
    const struct kg_results *head;
    struct kg_comparison comparison;
    struct kg_suggestions suggestions;
    const char *base_path; /* results: DIRECTORY/base.json and head.json; NULL: not written */
    const char *head_path;
    struct kg_build base_build;
    struct kg_build head_build;
    /* number of measured cases with the same machine code in both builds. Possible causes: an absolute path in the
     * suite, or one build given twice. */
    size_t same_code;
    /* signal that stopped the measurement, or 0; the outcome then covers the rounds measured until the signal */
    int signal;
    /* internal: */
    const char *start_note;   /* note about the machine; ""; NULL for pairs within a gate */
    const char *harness_note; /* note about a benchmark harness; NULL: none */
    struct kg_warning warned; /* empty for pairs within a gate, and after its note */
    double budget_ns;
    struct kg_pairing pairing;
    struct kg_baseline baseline;
    struct kg_arena arena;
};

/* Measures, compares, and writes base.json, head.json and comparison.json. Then suggests and writes the reports; as in
 * kg_gate_run, a failure of this advice is a note.
 * The function fails before it measures if a build does not exist or the directory cannot be created. If the builds
 * have no common case, the error is KG_ERROR_USAGE. Measured rounds are written even if a later step fails.
 * what     must outlive `ab`
 * ab       filled; the caller frees it with kg_ab_free, also on failure. After a failure the caller may read only the
 *          paths and `signal`.
 * returns  whether there is a comparison; its exit_status has the verdict */
bool kg_ab_run(const struct kg_prepared_suite *what, const struct kg_ab_options *options,
               struct kg_ab *ab, struct kg_error *err);
/* Like kg_ab_run for given builds per case, without suggestions and reports: measures, compares, and writes the results
 * to the options' paths.
 * what, options  must outlive `ab`, like the paths
 * budget_ns      remaining time; INFINITY: no limit
 * ab             zeroed by the caller, who frees it with kg_ab_free, also on failure. `base` is NULL if the measurement
 *                did not begin. */
bool kg_ab_measure(const struct kg_prepared_suite *what, const struct kg_pairing_options *options,
                   double budget_ns, struct kg_ab *ab, struct kg_error *err);

/* Samples the functions of both builds in the changed cases. If the budget is spent, adds a note instead. The caller
 * calls it after the verdict. */
void kg_ab_profile(struct kg_ab *ab, struct kg_advice *advice);

/* Adds one note about the cases whose builds could not run side by side. */
void kg_ab_apart_note(struct kg_ab *ab, struct kg_comparison *comparison);

void kg_ab_free(struct kg_ab *ab);
