#include "judge/calibration.h"

#define STRUCT kg_calibrated_case
static const struct kg_field case_fields[] = {
    KG_FIELD(id, STRING, "of the case"),
    KG_FIELD(threshold, REAL, "the suite's"),
    KG_FIELD(run_scatter, REAL, "between runs, of the log time", KG_OPTIONAL),
    KG_FIELD(round_scatter, REAL, "between the rounds of a run", KG_OPTIONAL),
    KG_FIELD(worst_ratio, REAL, "the largest of two runs", KG_OPTIONAL),
    KG_FIELD(alarms, SIZE, "pairs in which it was called changed"),
    KG_FIELD(doubts, SIZE, "pairs in which it was called SUSPECT or INCONCLUSIVE"),
    KG_FIELD(caught, REAL,
             "the smallest slowdown, as a share, that every pair catches; left out above 0.5",
             KG_OPTIONAL),
    KG_FIELD(rounds, REAL, "mean, of a pair"),
    KG_FIELD(advice, STRING, "what to do", KG_OPTIONAL),
};
static const struct kg_record case_record = KG_RECORD_OF(case_fields, "One case.");
#undef STRUCT

#define STRUCT kg_calibration
static const struct kg_field fields[] = {
    KG_FIELD(created, STRING, "UTC"),
    KG_FIELD(kgate_version, STRING, "of kgate"),
    KG_FIELD(suite, STRING, "its name"),
    KG_FIELD(machine, RECORD, NULL, KG_OF(kg_machine_record)),
    KG_FIELD(runs, SIZE, "of the same code"),
    KG_FIELD(pairs, SIZE, "every run against every other"),
    KG_FIELD(alarmed_pairs, SIZE, "in which any case was called changed"),
    KG_FIELD(alarmed_runs, SIZE, "runs that alarm against all others together"),
    KG_FIELD(alpha, REAL, "false alarms that the suite allows"),
    KG_LIST(cases, case_count, RECORDS, "in the order of the suite", KG_OF(case_record)),
};
const struct kg_record kg_calibration_record =
    KG_RECORD_OF(fields, "What a suite's gate is worth on a machine: `kgate calibrate`.");
#undef STRUCT

void kg_calibration_free(struct kg_calibration *calibration)
{
    kg_arena_free(&calibration->arena);
    *calibration = (struct kg_calibration){0};
}
