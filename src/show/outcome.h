/* outcome.h: a case as the result of a test: passed, failed, error or skipped, with a sentence. JUnit XML and
 * GitHub annotations print it. */
#pragma once
#include "base/arena.h"
#include "model/comparison.h"
#include "model/results.h"

enum kg_outcome_kind {
    KG_OUTCOME_PASSED,
    KG_OUTCOME_FAILURE, /* the policy fails on the case */
    KG_OUTCOME_ERROR,   /* the case failed and has no figures to judge */
    KG_OUTCOME_SKIPPED, /* not measured, undecided, or worse but allowed by the policy */
    KG_OUTCOME_KINDS
};

struct kg_case_outcome {
    const char *id;
    const char *workload;
    size_t line; /* line in the suite; 0: unknown */
    enum kg_outcome_kind kind;
    bool worth_noting; /* SKIPPED and worth a review, or PASSED and improved */
    bool waived;       /* SKIPPED: accepted, in quarantine, or a new workload that is not judged */
    const char *word;  /* the change or the status: "REGRESSION" */
    const char *message; /* a sentence, or "" */
    const char *cause;   /* causes of a changed time, one sentence per line; or "" */
    const char *figures; /* lines, or "" */
    const char *tail;    /* last lines of the case's standard error, or NULL */
    double time_ns;      /* time per call in ns; NaN: unknown */
};

/* The number of cases in the subject's comparison. Without a comparison: in its results. */
struct kg_report_subject;
size_t kg_outcome_count(const struct kg_report_subject *subject);
/* The outcome of the case `index`. Its texts lie in `arena` or are borrowed from the subject.
 * advice  index of the subject's suggestions
 * index   below kg_outcome_count */
struct kg_advice_index;
struct kg_case_outcome kg_outcome_of(struct kg_arena *arena,
                                     const struct kg_report_subject *subject,
                                     const struct kg_advice_index *advice, size_t index);
