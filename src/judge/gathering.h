/* gathering.h: the values that the evidence of one metric is gathered from. Internal to evidence.c and
 * round_shifts.c. */
#pragma once
#include "judge/evidence.h"
#include "model/disturbance.h"

struct kg_gathering {
    struct kg_arena *scratch;
    const struct kg_case_result *result;
    const struct kg_reference *reference;
    const struct kg_series *series;
    const struct kg_metric_row *row; /* of the series */
    const double *values;            /* likewise */
    bool apart;                      /* not by round: nobody looks at it on the way */
    enum kg_evidence_rounds rounds;
    bool any_confirms; /* a round of the result does, and is judged */
    bool unbacked;     /* those that confirm are all disturbed */
    bool all_judged;
    bool means; /* the means of rounds stand for their medians */
};

/* The values of a stored case; NULL where it has none. */
static inline const struct kg_baseline_series *
kg_gathered_series(const struct kg_gathering *gathering, const struct kg_baseline_case *stored)
{
    if (gathering->means)
        return kg_baseline_series_find(stored, KG_SERIES_MEAN, KG_SERIES_OF_ROUNDS);
    return kg_baseline_series_find(stored, gathering->series->name, gathering->series->source);
}

/* The same of what goes with the times. */
static inline const struct kg_baseline_series *
kg_gathered_beside(const struct kg_baseline_case *stored, const char *name)
{
    return kg_baseline_series_find(stored, name, KG_SERIES_OF_ROUNDS);
}

/* Whether value i of the results belongs to the rounds that are asked for. */
static inline bool kg_gathering_wants(const struct kg_gathering *gathering, size_t i)
{
    const struct kg_case_result *result = gathering->result;
    if (gathering->apart || i >= result->round_count)
        return true;
    if (!gathering->all_judged && !kg_round_judged(result, i))
        return false;
    if (!gathering->any_confirms)
        return true;
    return result->rounds[i].confirms == (gathering->rounds == KG_ROUNDS_DECIDING);
}

/* round_shifts.c: what a median does not see. */

/* Whether the case keeps one core at most, by the CPU time of its calls on both sides. */
bool kg_gathering_one_core(const struct kg_gathering *gathering);

/* The means of the rounds and the CPU time of their calls against those of the reference: what a
 * median does not see. Other work on the machine moves the means, and hardly the CPU time. */
void kg_shifts_find(const struct kg_gathering *gathering, const struct kg_metric *metric,
                    struct kg_evidence *evidence);
