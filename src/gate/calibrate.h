/* calibrate.h: finds out what a suite's gate is worth on a machine, from recorded rounds alone. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "gate/sequence.h"
#include "judge/calibration.h"

/* Calibrates.
 * runs    `count` recorded results of one plan on one machine, at least 2, with screening and
 *         confirming rounds
 * limits  of each case
 * calibration: filled on success, to be freed with kg_calibration_free; zeroed on failure */
bool kg_calibrate(const struct kg_results *runs, size_t count, const struct kg_round_limits *limits,
                  struct kg_calibration *calibration, struct kg_error *err);
