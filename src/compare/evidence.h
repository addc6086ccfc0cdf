/* evidence.h: what a metric of a case is judged on: the values of its reference's runs and of the
 * results, gathered and estimated. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "compare/comparison.h"
#include "compare/metric.h"
#include "compare/reference.h"
#include "results/series.h"

/* Which of the rounds. */
enum kg_evidence_rounds {
    KG_ROUNDS_DECIDING, /* the confirming ones where there are any, else all */
    KG_ROUNDS_SCREENING /* those that do not confirm */
};

struct kg_evidence {
    struct kg_metric *metric;
    struct kg_metric_state state;
    const struct kg_metric_row *row;
    size_t base_rounds;
    size_t current_rounds;
    bool paired;
    double mean_ratio;   /* of the rounds' means, by their lower quarter; NaN where not known */
    double mean_effect;  /* the same as a difference, in ns */
    double mean_p;       /* of "they are the same" */
    bool confirmed;      /* by confirming rounds, or by counts that need none */
    bool unlike;         /* the times are skewed, and samples are of other numbers of
    * calls: not comparable */
    bool clock_governs;  /* on the GPU: its multiprocessors' clock is what decides the time */
    bool processes;      /* rounds are processes, of a profile */
    bool code_unchanged; /* the hash that the reference's newest run had */
    bool code_changed;   /* another; neither where one of the two is not known */
};

/* Estimates a metric.
 * bandwidth  bytes a second that the results' probe read from memory; NaN where not known
 * series   of the result: what is compared
 * scratch  for what is not needed afterwards
 * metric   name, unit, better and the figures are filled in; `against` is the caller's
 * returns  true with evidence->metric NULL where a side has no values; false where memory is out */
bool kg_evidence_make(struct kg_arena *scratch, const struct kg_case_result *result,
                      const struct kg_reference *reference, const struct kg_series *series,
                      enum kg_evidence_rounds rounds, double bandwidth, struct kg_metric *metric,
                      struct kg_evidence *evidence);
