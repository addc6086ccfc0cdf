#include "judge/calibration.h"

#define STRUCT kg_calibrated_case
static const struct kg_field case_fields[] = {
    KG_FIELD(id, STRING, "id of the case"),
    KG_FIELD(threshold, REAL, "threshold of the suite, as a share"),
    KG_FIELD(run_scatter, REAL, "standard deviation between runs, of the log of the time",
             KG_OPTIONAL),
    KG_FIELD(round_scatter, REAL,
             "standard deviation between the rounds of a run, of the log of the time", KG_OPTIONAL),
    KG_FIELD(worst_ratio, REAL, "largest ratio of the times of two runs", KG_OPTIONAL),
    KG_FIELD(alarms, SIZE, "number of pairs in which kgate called it changed"),
    KG_FIELD(doubts, SIZE, "number of pairs in which kgate called it SUSPECT or INCONCLUSIVE"),
    KG_FIELD(caught, REAL,
             "smallest slowdown that every pair detects, as a share; left out above 0.5",
             KG_OPTIONAL),
    KG_FIELD(rounds, REAL, "mean number of rounds of a pair"),
    KG_FIELD(advice, STRING, "advice for the case", KG_OPTIONAL),
};
static const struct kg_record case_record = KG_RECORD_OF(case_fields, "One case.");
#undef STRUCT

#define STRUCT kg_calibration
static const struct kg_field fields[] = {
    KG_FIELD(created, STRING, "time of the calibration, UTC"),
    KG_FIELD(kgate_version, STRING, "version of kgate"),
    KG_FIELD(suite, STRING, "name of the suite"),
    KG_FIELD(machine, RECORD, NULL, KG_OF(kg_machine_record)),
    KG_FIELD(runs, SIZE, "number of runs of the same code"),
    KG_FIELD(pairs, SIZE, "number of pairs of runs"),
    KG_FIELD(alarmed_pairs, SIZE, "number of pairs in which kgate called any case changed"),
    KG_FIELD(alarmed_runs, SIZE, "number of runs that alarm against all others together"),
    KG_FIELD(alpha, REAL, "share of false alarms that the suite allows"),
    KG_LIST(cases, case_count, RECORDS, "cases in the order of the suite", KG_OF(case_record)),
};
const struct kg_record kg_calibration_record =
    KG_RECORD_OF(fields, "Reliability of a suite's gate on a machine: `kgate calibrate`.");
#undef STRUCT

void kg_calibration_free(struct kg_calibration *calibration)
{
    kg_arena_free(&calibration->arena);
    *calibration = (struct kg_calibration){0};
}
