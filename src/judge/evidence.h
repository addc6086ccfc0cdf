/* evidence.h: gathers a metric's values from the reference's runs and from the results, and
 * estimates the change between them. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "judge/metric.h"
#include "judge/reference.h"
#include "model/comparison.h"
#include "model/series.h"

/* slow_tail.c: whether some rounds became far slower, which a median does not show. Pure. */

/* Times of the rounds in ns, above 0. */
struct kg_widening_rounds {
    const double *base; /* rounds of the reference */
    size_t base_count;
    const double *current; /* judged rounds of the candidate */
    size_t current_count;
    const double *others; /* lower bounds for the candidate's other rounds, without disturbance */
    size_t other_count;
};

/* How far the slowest rounds lie above the reference's median. */
struct kg_widening {
    bool widened;
    /* slowest round of this run over the reference's median, without the slowest tenth of the rounds (at least one) */
    double tail;
    double base_tail; /* slowest round of the reference over its median */
};

/* Compares log(tail) with six times the larger of log(base_tail) and the log of 1 + threshold.
 * threshold  relative change that counts, as a share
 * scratch    room for all rounds
 * returns    `widened` if log(tail) is larger: then more than one round in ten is far slower. False with NaN ratios if
 *            a side has fewer than five rounds, or if no round is judged. If some rounds are not judged, three rounds
 *            of the reference are enough, because it may lack the same rounds. */
struct kg_widening kg_widening_find(const struct kg_widening_rounds *rounds, double threshold,
                                    double *scratch);

/* Rounds that an estimate uses. */
enum kg_evidence_rounds {
    KG_ROUNDS_DECIDING, /* confirming rounds if any is judged, else all rounds */
    KG_ROUNDS_SCREENING /* rounds before confirmation */
};

/* Shift of a statistic of the rounds other than the median; NaN: unknown. */
struct kg_shift {
    double ratio;  /* ratio of the two locations */
    double effect; /* difference of the two locations, in ns */
    double p;      /* p-value of equal locations, two-sided */
    /* mean of the candidate's rounds without the largest, over the largest round of the reference; shows a few calls
     * that take most of the time */
    double excess;
};

#define KG_SHIFT_UNKNOWN                                                                           \
    {                                                                                              \
        NAN, NAN, NAN, NAN                                                                         \
    }

struct kg_evidence {
    struct kg_metric *metric;
    const struct kg_case_result *result; /* owner of the rounds */
    struct kg_metric_state state;
    const struct kg_metric_row *row;
    size_t base_rounds;
    size_t current_rounds;
    bool paired;
    struct kg_shift means; /* shift of the rounds' means */
    /* shift of the rounds' means, with all waits of the candidate removed */
    struct kg_shift least_means;
    struct kg_shift cpu; /* shift of the CPU time per call, if the case uses at most one core */
    struct kg_widening widening; /* of a time, unless all its rounds waited too long */
    bool disturbed;              /* for a time: more than a third of the rounds waited for a CPU */
    bool busy;                   /* for a time: all rounds waited too long */
    /* if busy: neither waits nor (with the same code) another load explain the change */
    bool beyond_waits;
    double pair_waits; /* for pairs: share that waits may have added to the candidate's time */
    /* whether the result has judged confirming rounds, or separate processes counted the metric */
    bool confirmed;
    bool unbacked; /* all confirming rounds were disturbed, so the metric can only be a suspect */
    bool clock_governs; /* on the GPU: the time follows the multiprocessors' clock */
    bool processes;     /* whether the rounds are processes of a profile */
    size_t family;      /* number of tests of the whole comparison; kg_evidence_decide sets it */
    enum kg_code_match code; /* match of the machine code with the reference's newest run */
    bool unchanged;          /* kg_unchanged_since: the code cannot have caused a change */
};

/* Memory that estimates share. Zero-initialise. */
struct kg_evidence_room {
    struct kg_arena scratch;         /* temporary memory; the caller frees it */
    struct kg_student_points points; /* Student's points, shared by all cases */
};

/* Estimates a metric. metric->code lives in the scratch arena of `room`.
 * series     the metric's values in `result`
 * bandwidth  memory bandwidth measured by the probe of the results, in bytes per second; NaN: unknown
 * metric     filled except `against`, which the caller sets
 * evidence   its metric is NULL if a side has no values */
void kg_evidence_make(struct kg_evidence_room *room, const struct kg_case_result *result,
                      const struct kg_reference *reference, const struct kg_series *series,
                      enum kg_evidence_rounds rounds, double bandwidth, struct kg_metric *metric,
                      struct kg_evidence *evidence);
