/* calibration.h: how well a suite's gate works on a machine, from runs of the same code. It holds the rate of false
 * alarms and the smallest change that the gate would have caught. JSON in kgate.calibration.v1. gate/calibrate.h fills
 * it. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "model/results.h"

#define KG_CALIBRATION_SCHEMA "kgate.calibration.v1"

struct kg_calibrated_case {
    const char *id;
    double threshold; /* the suite's threshold, as a share */
    /* standard deviation of the log time between runs; NaN unless every run measured the case */
    double run_scatter;
    /* standard deviation of the log time between rounds; NaN like run_scatter */
    double round_scatter;
    double worst_ratio; /* largest ratio of the times of two runs */
    size_t alarms;      /* number of pairs of runs that called the case REGRESSION or IMPROVEMENT */
    size_t doubts;      /* number of pairs of runs that called the case SUSPECT or INCONCLUSIVE */
    double caught;      /* smallest change that every pair catches, as a share; NaN: above 50 % */
    double rounds;      /* mean number of rounds in a pair */
    const char *advice; /* one sentence; NULL: no advice */
};

struct kg_calibration {
    struct kg_arena arena; /* owner of everything below */
    const char *created;
    const char *kgate_version;
    const char *suite;
    struct kg_machine machine;
    size_t runs;
    size_t pairs;         /* comparisons of one run with another run: runs * (runs - 1) */
    size_t alarmed_pairs; /* number of pairs with an alarm in any case */
    /* number of runs with an alarm if the other runs together are the baseline */
    size_t alarmed_runs;
    double alpha; /* rate of false alarms that the suite allows */
    struct kg_calibrated_case *cases;
    size_t case_count;
};

extern const struct kg_record kg_calibration_record;

void kg_calibration_free(struct kg_calibration *calibration);
