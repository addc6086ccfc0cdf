/* evidence.h: gathers a metric's values from the reference's runs and from the results, and
 * estimates the change between them. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "judge/metric.h"
#include "judge/reference.h"
#include "model/comparison.h"
#include "model/series.h"

/* slow_tail.c: whether a part of the rounds became far slower, which a median does not see. Pure. */

/* Times of the rounds, above 0. */
struct kg_widening_rounds {
    const double *base; /* of the reference */
    size_t base_count;
    const double *current; /* rounds that are judged */
    size_t current_count;
    const double *others; /* the least that the other rounds took if nothing had disturbed them */
    size_t other_count;
};

/* How far the slowest rounds lie above the others, on both sides. */
struct kg_widening {
    bool widened;
    double
        tail; /* of this run: the slowest of all its rounds over the reference's median. A tenth of
                         the rounds is left out, at least one */
    double base_tail; /* of the reference: its slowest round of all over its median */
};

/* threshold  the relative change that counts
 * scratch    room for all rounds
 * returns    `widened`: more than one round in ten lies so far above the median that its
 *            logarithm is more than six times the reference's, and the threshold's. False with fewer
 *            than five rounds of a side (of the reference three, if rounds are not judged: its rounds
 *            of the same pairs are not either), or if none is judged. The figures are NaN then. */
struct kg_widening kg_widening_find(const struct kg_widening_rounds *rounds, double threshold,
                                    double *scratch);

/* Which rounds an estimate takes. */
enum kg_evidence_rounds {
    KG_ROUNDS_DECIDING, /* the confirming ones where any of them is judged, else all */
    KG_ROUNDS_SCREENING /* those that do not confirm */
};

/* What a figure of the rounds beside the median did; NaN where that is not known. */
struct kg_shift {
    double ratio;  /* of its locations */
    double effect; /* their difference, in ns */
    double p;      /* that they are equal */
    double
        excess; /* arithmetic mean of the candidate's rounds, without the greatest, over the greatest
                      of the reference: a few calls may take most of the time */
};

#define KG_SHIFT_UNKNOWN                                                                           \
    {                                                                                              \
        NAN, NAN, NAN, NAN                                                                         \
    }

struct kg_evidence {
    struct kg_metric *metric;
    const struct kg_case_result *result; /* of whose rounds it is */
    struct kg_metric_state state;
    const struct kg_metric_row *row;
    size_t base_rounds;
    size_t current_rounds;
    bool paired;
    struct kg_shift means;       /* of the means of the rounds */
    struct kg_shift least_means; /* likewise, without all that the candidate's rounds waited */
    struct kg_shift cpu; /* of the CPU time of a call, of a case that keeps one core at most */
    struct kg_widening widening; /* of a time, unless all its rounds waited too long */
    bool disturbed;              /* of a time: more than a third of its rounds waited for a CPU */
    bool busy;                   /* of a time: all its rounds waited too long */
    bool beyond_waits;  /* of such: waits, or with the same code any load, do not explain it */
    double pair_waits;  /* of a pair: share that waits may have added to the candidate */
    bool confirmed;     /* confirming rounds were taken, or processes apart counted it */
    bool unbacked;      /* they were, and all of them were disturbed: it only suspects */
    bool clock_governs; /* on the GPU: the time follows the multiprocessors' clock */
    bool processes;     /* rounds are processes of a profile */
    size_t family;      /* number of tests of the whole comparison; kg_evidence_decide sets it */
    enum kg_code_match code; /* the machine code beside that of the reference's newest run */
    bool unchanged;          /* kg_unchanged_since: nothing that changed can be the code's */
};

/* What estimates take besides figures. Zero-initialise. */
struct kg_evidence_room {
    struct kg_arena scratch;         /* what is not needed afterwards; to be freed */
    struct kg_student_points points; /* that the cases have in common */
};

/* Estimates a metric. What it keeps in the room's scratch is the words of metric->code.
 * series     the metric's values in `result`
 * bandwidth  bytes a second that the results' probe read from memory; NaN: unknown
 * metric     gets its name, unit, better and figures; the caller sets `against`
 * evidence   its metric is NULL where a side has no values */
void kg_evidence_make(struct kg_evidence_room *room, const struct kg_case_result *result,
                      const struct kg_reference *reference, const struct kg_series *series,
                      enum kg_evidence_rounds rounds, double bandwidth, struct kg_metric *metric,
                      struct kg_evidence *evidence);
