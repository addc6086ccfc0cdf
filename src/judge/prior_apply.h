/* prior_apply.h: the noise that a history knows, in the judgement of one metric. Pure. */
#pragma once
#include "judge/metric.h"
#include "model/stored_prior.h"

/* Moderates the variances of an estimate by the prior: of a round, and between runs. Each stays as it is if its prior is
 * unknown, or if an F test contradicts the prior (kg_prior_moderate). With one stored run, the variance between runs
 * becomes known.
 * prior    NULL: none
 * returns  whether a variance was moderated. Never for pairs, untested metrics and metrics with values of 0 */
bool kg_prior_apply(const struct kg_prior_series *prior, struct kg_metric_state *state);
