/* calibration.h: how well a suite's gate works on a machine, from runs of the same code: how often
 * it would have raised a false alarm, and the smallest change that it would have caught. JSON in
 * kgate.calibration.v1. gate/calibrate.h makes it. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "model/results.h"

#define KG_CALIBRATION_SCHEMA "kgate.calibration.v1"

struct kg_calibrated_case {
    const char *id;
    double threshold;     /* the suite's */
    double run_scatter;   /* of the log time between runs; NaN unless every run measured it */
    double round_scatter; /* standard deviation of the log time between rounds of a run; likewise */
    double worst_ratio;   /* the largest ratio of two runs */
    size_t alarms;        /* pairs of runs in which the case was called REGRESSION or IMPROVEMENT */
    size_t doubts;        /* pairs in which it was called SUSPECT or INCONCLUSIVE */
    double caught; /* the smallest change that every pair catches, as a share; NaN: above 50 % */
    double rounds; /* mean of rounds taken in a pair */
    const char *advice; /* one sentence; NULL where nothing needs to change */
};

struct kg_calibration {
    struct kg_arena arena; /* owns everything below */
    const char *created;
    const char *kgate_version;
    const char *suite;
    struct kg_machine machine;
    size_t runs;
    size_t pairs;         /* each run compared with each other run: runs * (runs - 1) */
    size_t alarmed_pairs; /* pairs in which any case alarmed */
    size_t alarmed_runs;  /* runs that alarm when compared with all others as one baseline */
    double alpha;         /* rate of false alarms that the suite allows */
    struct kg_calibrated_case *cases;
    size_t case_count;
};

extern const struct kg_record kg_calibration_record;

void kg_calibration_free(struct kg_calibration *calibration);
