/* gathering.h: the source of one metric's values. Internal to evidence.c, round_shifts.c and
 * device_clock.c. */
#pragma once
#include "judge/evidence.h"
#include "model/disturbance.h"

struct kg_gathering {
    struct kg_arena *scratch;
    const struct kg_case_result *result;
    const struct kg_reference *reference;
    const struct kg_series *series;
    const struct kg_metric_row *row; /* row of the series */
    const double *values;            /* values of the series */
    bool apart; /* values of separate processes, not of rounds; no interim analysis uses them */
    enum kg_evidence_rounds rounds;
    bool any_confirms; /* whether the result has a judged confirming round */
    bool unbacked;     /* whether all confirming rounds are disturbed */
    bool all_judged;
    bool means; /* whether the means of rounds replace the medians */
};

/* Returns the metric's series of a stored case; NULL if the case has none. */
static inline const struct kg_baseline_series *
kg_gathered_series(const struct kg_gathering *gathering, const struct kg_baseline_case *stored)
{
    if (gathering->means)
        return kg_baseline_series_find(stored, KG_SERIES_MEAN, KG_SERIES_OF_ROUNDS);
    return kg_baseline_series_find(stored, gathering->series->name, gathering->series->source);
}

/* Returns a stored series that accompanies the times, such as the clock probes; NULL if the case has none. */
static inline const struct kg_baseline_series *
kg_gathered_beside(const struct kg_baseline_case *stored, const char *name)
{
    return kg_baseline_series_find(stored, name, KG_SERIES_OF_ROUNDS);
}

/* Whether value i of the results belongs to the wanted rounds. */
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

/* round_shifts.c: shifts that a median does not show. */

/* Whether the case uses at most one core, by the CPU time of its calls on both sides. */
bool kg_gathering_one_core(const struct kg_gathering *gathering);

/* Sets the shifts of the rounds' means and of the CPU time per call against the reference. Other work on the machine
 * changes the means, but hardly the CPU time. */
void kg_shifts_find(const struct kg_gathering *gathering, const struct kg_metric *metric,
                    struct kg_evidence *evidence);

/* device_clock.c: what clocks and power of a GPU explain of a time. */

/* Estimates the change in cycles: times divided by the clock probes of their rounds. Removes the probes from the input,
 * so that kgate reports the times without correction. Sets cycles_ratio, its interval and pace_shift; cycles_ratio is
 * NaN if the device did not time the case or a clock is unknown.
 * base  number of the reference's values in the input */
void kg_cycles_estimate(const struct kg_gathering *gathering, struct kg_metric_input *input,
                        size_t base, struct kg_metric *metric);

/* Adds the cycles to the estimated metric, and sets the part of the change that clocks or power may explain. */
void kg_clocks_apply(const struct kg_gathering *gathering, const struct kg_metric *cycles,
                     struct kg_metric *metric, struct kg_evidence *evidence);
