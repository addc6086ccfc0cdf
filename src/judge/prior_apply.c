/* prior_apply.c: moderates the variances of few rounds and few runs, before the usual noise of the suite's cases comes
 * in (metric.c). The variance between runs is that of a run's location beyond the scatter of its rounds. */
#include "judge/prior_apply.h"

#include "judge/prior.h"

bool kg_prior_apply(const struct kg_prior_series *prior, struct kg_metric_state *state)
{
    if (!prior || !state->tested || state->shifted || !(state->explained > 0) ||
        !(state->round.freedom > 0))
        return false;
    struct kg_variance location = {state->between.value * state->explained, state->between.freedom};
    const bool rounds = kg_prior_moderate(&state->round, prior->within);
    if (rounds)
        state->explained = state->round.value / state->base_rounds;
    const struct kg_variance expected = {prior->between.value + state->explained,
                                         prior->between.freedom};
    const bool runs = kg_prior_moderate(&location, expected);
    if (rounds || runs)
        state->between = (struct kg_variance){location.value / state->explained, location.freedom};
    return rounds || runs;
}
