/* outcome.h: what became of a case, as programs that show tests know it: passed, failed, in error or
 * skipped, with a sentence. What JUnit XML and annotations are made from. */
#pragma once
#include "base/arena.h"
#include "model/comparison.h"
#include "model/results.h"

enum kg_outcome_kind {
    KG_OUTCOME_PASSED,
    KG_OUTCOME_FAILURE, /* the policy fails on it */
    KG_OUTCOME_ERROR,   /* it failed, and has no figures to judge */
    KG_OUTCOME_SKIPPED, /* not measured, not decided, or worse and the policy lets it pass */
    KG_OUTCOME_KINDS
};

struct kg_case_outcome {
    const char *id;
    const char *workload;
    size_t line; /* of the suite; 0: not known */
    enum kg_outcome_kind kind;
    bool worth_saying; /* SKIPPED, and a reviewer should look; PASSED, and it became better */
    bool waived; /* SKIPPED, since it was accepted, is in quarantine or is of the change alone */
    const char *word;    /* the change or the status: "REGRESSION" */
    const char *message; /* a sentence, or "" */
    const char *cause;   /* of a change: why the time changed, in a sentence a line; or "" */
    const char *figures; /* lines, or "" */
    const char *tail;    /* the last that it wrote to standard error, or NULL */
    double time_ns;      /* of a call; NaN: not known */
};

/* Cases of the subject: of its comparison, or else of its results. */
struct kg_report_subject;
size_t kg_outcome_count(const struct kg_report_subject *subject);
/* The outcome of one of them, its texts in `arena` or borrowed.
 * advice  index of the subject's suggestions */
struct kg_advice_index;
struct kg_case_outcome kg_outcome_of(struct kg_arena *arena,
                                     const struct kg_report_subject *subject,
                                     const struct kg_advice_index *advice, size_t index);
