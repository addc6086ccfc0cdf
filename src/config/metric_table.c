#include "config/metric_table.h"

#include <string.h>

/* What disturbs a round makes it slower, never faster: the quarter of the rounds that was disturbed
 * least repeats best (docs/statistics.md). */
#define LEAST_DISTURBED 0.25
#define MEDIAN 0.5

const char *const kg_metric_kind_names[KG_METRIC_KINDS + 1] = {
    [KG_METRIC_TIME] = "time",
    [KG_METRIC_PEAK_MEMORY] = "peak_memory",
    [KG_METRIC_INSTRUCTIONS] = "instructions",
};

const struct kg_metric_row kg_metric_rows[KG_METRIC_KINDS] = {
    [KG_METRIC_TIME] = {.unit = "ns",
                        .share = LEAST_DISTURBED,
                        .proof = KG_PROOF_TEST,
                        .origin = KG_ORIGIN_FIELD,
                        .round_field = "median_ns",
                        .timed = true,
                        .threshold_key = "threshold",
                        .min_effect_key = "min_effect"},
    /* Peak memory repeats to the page. */
    [KG_METRIC_PEAK_MEMORY] = {.unit = "bytes",
                               .share = MEDIAN,
                               .proof = KG_PROOF_INTERVAL,
                               .origin = KG_ORIGIN_FIELD,
                               .round_field = "peak_bytes",
                               .threshold_key = "memory_threshold",
                               .min_effect_key = "min_memory_effect"},
    /* Counts repeat to a few in a million, where the work does not depend on chance. */
    [KG_METRIC_INSTRUCTIONS] = {.unit = "",
                                .share = MEDIAN,
                                .proof = KG_PROOF_REPEATS,
                                .origin = KG_ORIGIN_APART,
                                .threshold_key = "instructions_threshold"},
};

const struct kg_metric_row kg_metric_of_workload = {
    .unit = "", .share = MEDIAN, .proof = KG_PROOF_REPEATS, .origin = KG_ORIGIN_READING};

enum kg_metric_kind kg_metric_kind_find(const char *name)
{
    int kind = 0;
    while (kind < KG_METRIC_KINDS && strcmp(kg_metric_kind_names[kind], name) != 0)
        kind++;
    return (enum kg_metric_kind)kind;
}
