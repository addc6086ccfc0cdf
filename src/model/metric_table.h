/* metric_table.h: the metrics of metrics.def as data: everything that a stage needs to know to
 * measure, store, judge and show one. To add a metric, see metrics.def. Constant data,
 * thread-safe. */
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

/* What it takes to say that a metric changed. */
enum kg_proof {
    KG_PROOF_TEST,     /* a test of the rounds, all tests of a comparison judged together */
    KG_PROOF_INTERVAL, /* the interval: it repeats so well that a test would only ask for rounds */
    KG_PROOF_REPEATS,  /* the interval where the values do repeat, else the test */
};

/* How the values of a metric come about. */
enum kg_origin {
    KG_ORIGIN_FIELD,   /* a field of every round's record */
    KG_ORIGIN_READING, /* the machine counts it while a round is timed; not every machine does */
    KG_ORIGIN_APART,   /* counted in processes of their own, which nobody times */
};

struct kg_metric_row {
    const char *unit; /* "ns", "bytes", "J", or "" of a number */
    enum kg_better better;
    enum kg_proof proof;
    enum kg_origin origin;
    const char *round_field;    /* KG_ORIGIN_FIELD: its name in a round's record */
    bool timed;                 /* the time: follows the clock, is paired in `ab`, has means too */
    const char *threshold_key;  /* of the suite's `defaults` */
    const char *min_effect_key; /* likewise; NULL: any absolute change counts */
};

extern const struct kg_metric_row kg_metric_rows[KG_METRIC_KINDS];

/* A figure of the workload's own. */
extern const struct kg_metric_row kg_metric_of_workload;

/* The kind of that name; KG_METRIC_KINDS where there is none. */
enum kg_metric_kind kg_metric_kind_find(const char *name);
