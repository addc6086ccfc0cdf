/* metric_table.h: the metrics of metrics.def as data: everything that a stage needs to measure,
 * store, judge and show a metric. To add a metric, see metrics.def. Constant data, thread-safe. */
#pragma once
#include <stdbool.h>

#include "model/policy.h"

enum kg_metric_kind {
#define KG_METRIC(CONSTANT, ...) KG_METRIC_##CONSTANT,
#include "model/metrics.def"
#undef KG_METRIC
    KG_METRIC_KINDS
};

/* All names in enum order, terminated by NULL: of `metrics:` in a suite, and of series in files. */
extern const char *const kg_metric_kind_names[KG_METRIC_KINDS + 1];

/* Evidence that a change of a metric needs. */
enum kg_proof {
    KG_PROOF_TEST, /* a test of the rounds; all tests of a comparison are judged together */
    /* the interval: the values repeat so well that a test would only need more rounds */
    KG_PROOF_INTERVAL,
    KG_PROOF_REPEATS, /* the interval if the values repeat, else the test */
};

/* Origin of a metric's values. */
enum kg_origin {
    KG_ORIGIN_FIELD,   /* a field of every round's record */
    KG_ORIGIN_READING, /* the machine counts it during timed rounds, if it can */
    KG_ORIGIN_APART,   /* counted in processes of their own, without timing */
};

struct kg_metric_row {
    const char *words; /* in a sentence: "peak memory"; NULL: a workload's own metric */
    const char *unit;  /* "ns", "bytes", "J"; "" for a number */
    enum kg_better better;
    enum kg_proof proof;
    enum kg_origin origin;
    const char *round_field; /* KG_ORIGIN_FIELD: its name in a round's record */
    /* the time: follows the core clock, is paired in `ab`, has means too */
    bool timed;
    const char *threshold_key; /* of the suite's `defaults` */
    /* key of the suite's `defaults`; NULL: any absolute change counts */
    const char *min_effect_key;
};

extern const struct kg_metric_row kg_metric_rows[KG_METRIC_KINDS];

/* The row of every metric that a workload itself reports. */
extern const struct kg_metric_row kg_metric_of_workload;

/* The kind of that name; KG_METRIC_KINDS if there is none. */
enum kg_metric_kind kg_metric_kind_find(const char *name);
