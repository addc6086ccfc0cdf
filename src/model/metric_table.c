#include "model/metric_table.h"

#include <string.h>

const char *const kg_metric_kind_names[KG_METRIC_KINDS + 1] = {
#define KG_METRIC(CONSTANT, metric_name, ...) [KG_METRIC_##CONSTANT] = #metric_name,
#include "model/metrics.def"
#undef KG_METRIC
};

const struct kg_metric_row kg_metric_rows[KG_METRIC_KINDS] = {
#define KG_METRIC(CONSTANT, metric_name, metric_unit, PROOF, ORIGIN, field, is_time, key,          \
                  key_default, key_least, effect_key, metric_words)                                \
    [KG_METRIC_##CONSTANT] = {.words = (metric_words),                                             \
                              .unit = (metric_unit),                                               \
                              .proof = KG_PROOF_##PROOF,                                           \
                              .origin = KG_ORIGIN_##ORIGIN,                                        \
                              .round_field = (field),                                              \
                              .timed = (is_time),                                                  \
                              .threshold_key = (key),                                              \
                              .min_effect_key = (effect_key)},
#include "model/metrics.def"
#undef KG_METRIC
};

const struct kg_metric_row kg_metric_of_workload = {
    .unit = "", .proof = KG_PROOF_REPEATS, .origin = KG_ORIGIN_READING};

enum kg_metric_kind kg_metric_kind_find(const char *name)
{
    int kind = 0;
    while (kind < KG_METRIC_KINDS && strcmp(kg_metric_kind_names[kind], name) != 0)
        kind++;
    return (enum kg_metric_kind)kind;
}
