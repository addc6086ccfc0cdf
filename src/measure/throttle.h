/* throttle.h: rounds in which the GPU was held back, by heat or by power: which count, and how many
 * are measured again. Pure functions; thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "measure/results.h"

/* How many of the rounds are to be measured again because the device was held back in them: all
 * such, but no more than half of `wanted`, at least one. A device that is always held back, as one
 * at its power limit is, must not be measured for ever. */
size_t kg_rounds_to_repeat(const struct kg_round *rounds, size_t count, size_t wanted);

/* Whether rounds in which the device was held back are judged like the others: where more than half
 * are such, that is how the device works here. Else they are left out. */
bool kg_rounds_keep_throttled(const struct kg_round *rounds, size_t count);

/* Whether round `index` is judged. */
bool kg_round_judged(const struct kg_round *rounds, size_t count, size_t index);
