/* ab.h: two builds measured turn by turn until it is clear, compared, and written to files. As
 * gate.h, without a stored baseline: the base's rounds are the baseline. */
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
    const char *base; /* a build as kg_build_resolve takes it; with words a command's name */
    const char *head;
    const char *base_label; /* as errors name it: "--base", or "OLD" of an operand */
    const char *head_label;
    const char
        *again;       /* the command that repeats it as it was given, but for --budget; NULL: nobody
                          can, as its folders are a pipeline's */
    bool is_filtered; /* it chooses some of the suite's cases */
    const char *base_said; /* what the comparison calls the sides; both NULL: it does not */
    const char *head_said;
    struct kg_words base_words; /* the command that this side is; without any it is a build */
    struct kg_words head_words;
    const char *directory; /* for base.json, head.json and the reports; made if it is missing; NULL:
                              no file is written */
    const bool *alone;     /* as in struct kg_pairing_options */
    double budget_ns;      /* as in struct kg_gate_options, and the next two too */
    const char *left_out;
    const struct kg_waiving *waiving; /* NULL: nothing is waived */
    struct kg_progress progress;
    struct kg_foresaid foresaid;
};

/* What came of it. Everything here is its own until kg_ab_free. */
struct kg_ab {
    const struct kg_results *base; /* both NULL where measuring did not begin */
    const struct kg_results *head;
    struct kg_comparison comparison;
    struct kg_suggestions suggestions;
    const char *base_path; /* DIRECTORY/base.json and head.json: the results; NULL: not written */
    const char *head_path;
    struct kg_build base_build;
    struct kg_build head_build;
    size_t
        same_code; /* measured cases whose machine code is the same in both builds, as with an absolute
                         path in the suite, or one build given twice */
    int signal;    /* that stopped measuring, 0 without one: then all this is of what was
                         measured until then */
    /* its own */
    const char *start_note;      /* of the machine, "" without one; NULL of pairs within a gate */
    const char *harness_note;    /* NULL: of programs that are no harness */
    struct kg_foresaid foresaid; /* NULL of pairs within a gate, and once it was said */
    double budget_ns;
    struct kg_pairing pairing;
    struct kg_baseline baseline;
    struct kg_arena arena;
};

/* Measures, compares, writes base.json, head.json and comparison.json, then suggests and writes the
 * reports: advice that fails is a note, as in kg_gate_run. A build that is none, and a directory that cannot be made, fail before anything is
 * measured. Builds that have no case in common are KG_ERROR_USAGE. What was measured is written also
 * where something fails later.
 * what     must outlive `ab`
 * ab       filled; to be freed with kg_ab_free also on failure, when only the paths and `signal` may
 *          be read
 * returns  whether there is a comparison; its exit_status says what was decided */
bool kg_ab_run(const struct kg_prepared_suite *what, const struct kg_ab_options *options,
               struct kg_ab *ab, struct kg_error *err);
/* The same of given builds, case by case, without suggestions and reports: measures, compares, and
 * writes the results to the options' paths.
 * what, options  must outlive `ab`, as the paths
 * budget_ns      that is left; INFINITY: no limit
 * ab             zeroed before; to be freed with kg_ab_free also on failure. `base` is NULL where
 *                measuring did not begin */
bool kg_ab_measure(const struct kg_prepared_suite *what, const struct kg_pairing_options *options,
                   double budget_ns, struct kg_ab *ab, struct kg_error *err);

/* Samples the functions of both builds in the cases that changed, unless the budget is spent. To be called
 * after the verdict. */
void kg_ab_profile(struct kg_ab *ab, struct kg_advice *advice);

/* Notes the cases whose builds could not run side by side, in one note. */
void kg_ab_apart_note(struct kg_ab *ab, struct kg_comparison *comparison);

void kg_ab_free(struct kg_ab *ab);
