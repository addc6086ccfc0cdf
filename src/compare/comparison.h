/* comparison.h: what changed between a baseline and results, what the gate decides, JSON in
 * kgate.comparison.v1. Decided here from structs alone; reports only print it. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "baseline/baseline.h"
#include "config/policy.h"
#include "results/results.h"

#define KG_COMPARISON_SCHEMA "kgate.comparison.v1"

/* Exit status of the program, from what was decided. */
enum kg_exit {
    KG_EXIT_PASS = 0,
    KG_EXIT_REGRESSION = 1, /* or another change that the policy fails on */
    KG_EXIT_USAGE = 2,
    KG_EXIT_FAILED = 3,     /* a workload failed or could not be measured */
    KG_EXIT_NO_VERDICT = 4, /* inconclusive or no baseline, where the policy demands one */
};

enum kg_verdict { KG_VERDICT_PASS, KG_VERDICT_FAIL };
extern const char *const kg_verdict_names[3];

/* What a metric is held against; "pin" stands before its name in kg_metric's `against`. */
enum kg_against { KG_AGAINST_BASELINE, KG_AGAINST_BASE, KG_AGAINST_PIN, KG_AGAINST_BUDGET };
extern const char *const kg_against_names[5];

/* Why a metric is judged as it is, where its change alone does not say it. reasons.c has the
 * sentence of each. */
enum kg_doubt {
    KG_DOUBT_NONE,           /* the figures say it all */
    KG_DOUBT_CODE_CHANGED,   /* it changed, and so did the machine code */
    KG_DOUBT_CODE_UNCHANGED, /* it changed, and the machine code did not */
    KG_DOUBT_CLOCK_EXPLAINS, /* NO_CHANGE: the time moved with the GPU's clock alone */
    KG_DOUBT_UNLIKE,         /* skewed samples, averaged over other numbers of calls */
    KG_DOUBT_MEAN,           /* the mean moved, the typical round did not */
    KG_DOUBT_FEW_ROUNDS,     /* too few to call anything unchanged */
    KG_DOUBT_CLOCK_MAY,      /* the time moved with the GPU's clock, which may not be why */
    KG_DOUBT_CYCLES,         /* the time moved, and in cycles not enough */
    KG_DOUBT_UNCONFIRMED,    /* suspected, and not measured again */
    KG_DOUBT_UNPROVEN,       /* beyond the threshold, but the test is not passed */
    KG_DOUBT_EFFECT,         /* an absolute effect that would count is not excluded */
    KG_DOUBT_NOISE,          /* within what the noise hides, not within the suite's threshold */
    KG_DOUBT_CROSSING,       /* the interval crosses the threshold */
    KG_DOUBT_UNCOUNTED,      /* the figure could not be had; `cause` says why */
    KG_DOUBT_NOT_STORED,     /* the reference has no such figure of the source `cause` */
    KG_DOUBT_BUDGET_UNKNOWN, /* the budget's figure is not known; `cause` says why */
    KG_DOUBT_BUDGET_MISSED,
};
extern const char *const kg_doubt_names[19];

/* One metric of a case against one reference. */
struct kg_metric {
    const char *name;    /* "time", "peak_memory", a counter's name, or a budget's metric */
    const char *against; /* "baseline", "base" (of `ab`), "pin NAME", or "budget" */
    const char *unit;    /* "ns", "bytes", "1/s", or "" */
    double baseline;     /* the reference's value, or the budget's limit */
    double current;
    double ratio;        /* current / baseline; of both plus one byte where a peak is 0 */
    double interval_low; /* of the ratio, 95 %; NaN where not estimated */
    double interval_high;
    double p_value; /* adjusted for the number of tests (Holm); NaN where not tested: memory,
                       budgets, counts that repeat */
    double asked_threshold; /* the suite's: what NO_CHANGE has to lie within */
    double threshold;       /* the relative change that counts: the suite's or the noise floor,
                               whichever is more, and pace_doubt */
    double noise_floor;     /* share; NaN where the baseline has one run */
    double min_effect;      /* the absolute change that counts, in the unit */
    double pace_shift;      /* log pace of the core against the reference's; NaN where not known */
    double pace_exponent;   /* how times follow it; `current` is corrected so */
    double pace_doubt;      /* share that the threshold is raised by, for the exponent's doubt */
    double
        memory_doubt; /* the same, for memory that became slower or faster; NaN where not known */
    double cycles_ratio; /* of a time on the GPU: the same in cycles of its multiprocessors, by
                            which it is confirmed; NaN elsewhere */
    double cycles_low;   /* of that, 95 % */
    double cycles_high;
    enum kg_better better;
    bool suspected; /* it looks changed, on rounds that do not confirm it */
    enum kg_change change;
    enum kg_doubt doubt;
    /* What that was decided from, besides the figures above. */
    size_t base_rounds;
    size_t current_rounds;
    size_t least_rounds;   /* of both that it takes to call anything unchanged */
    bool of_processes;     /* a profile's: its rounds are processes */
    bool code_unchanged;   /* of a time: the machine code is the reference's */
    double needed_p;       /* what p_value had to reach; NaN where not tested */
    double mean_ratio;     /* of a time: of the rounds' means; NaN where not known */
    double screened_ratio; /* what made it suspect and was then not confirmed; else NaN */
    size_t screened_rounds;
    const char *cause; /* of a doubt whose cause is said elsewhere; else NULL */
    const char
        *reason; /* one sentence, of `doubt` and the above; NULL where the figures say it all */
};

/* In an initialiser: figures that a metric without an estimate does not have. Needs <math.h>. */
#define KG_METRIC_NOT_ESTIMATED                                                                    \
    .interval_low = NAN, .interval_high = NAN, .p_value = NAN, .noise_floor = NAN,                 \
    .pace_shift = NAN, .pace_exponent = NAN, .pace_doubt = NAN, .cycles_ratio = NAN,               \
    .cycles_low = NAN, .cycles_high = NAN, .memory_doubt = NAN, .needed_p = NAN,                   \
    .mean_ratio = NAN, .screened_ratio = NAN

struct kg_case_change {
    const char *id;
    const char *workload;
    const char *device;
    enum kg_change change;   /* the worst of its metrics: FAILED, REGRESSION, … */
    const char *reason;      /* why, for FAILED, SKIPPED, NEW; else that of the deciding metric */
    const char *stderr_tail; /* of FAILED: the last lines that it wrote; NULL where none */
    bool fails;              /* the policy fails on it */
    size_t order;            /* its place in the results; removed cases come after all of them */
    size_t rounds;
    size_t confirming_rounds;  /* of them, those that decided */
    double time_ns;            /* median, NaN without rounds */
    struct kg_metric *metrics; /* the deciding one first */
    size_t metric_count;
    struct kg_figure *figures; /* what its workload reports, judged or not */
    size_t figure_count;
};

struct kg_change_counts {
    size_t improvement, regression, no_change, inconclusive, new_case, removed, failed, skipped;
};

struct kg_comparison {
    struct kg_arena arena; /* owns everything below, nothing is borrowed */
    const char *created;
    const char *kgate_version;
    const char *suite;
    enum kg_verdict verdict;
    size_t exit_status;           /* an enum kg_exit */
    const char **verdict_reasons; /* sentences, the one that set the exit status first */
    size_t verdict_reason_count;
    struct kg_results_policy policy;
    bool complete;
    const char *baseline_created; /* of the newest ordinary run; NULL without one */
    size_t baseline_runs;         /* ordinary runs compared with */
    const char **pins;            /* names of the pinned runs compared with */
    size_t pin_count;
    struct kg_machine machine; /* of the current results */
    const char **notes;        /* facts that differ and whatever else a reader must know */
    size_t note_count;
    struct kg_change_counts counts;
    struct kg_case_change
        *cases; /* ranked: failed, worst regression … best improvement … the rest */
    size_t case_count;
};

extern const struct kg_record kg_comparison_record;

/* What the metric's `against` means. */
enum kg_against kg_metric_against(const struct kg_metric *metric);

/* The name of the pinned run that it is held against; NULL where that is no pin. */
const char *kg_metric_pin(const struct kg_metric *metric);

/* How the rounds came about. */
enum kg_stage {
    KG_STAGE_FINAL,  /* these rounds decide: their number was fixed beforehand, or they confirm */
    KG_STAGE_SCREEN, /* rounds are added until they say something: a change that no confirming round
                        stands behind is only suspected, and INCONCLUSIVE */
};

/* Compares. Where a case has confirming rounds, they alone decide. Runs of another suite than
 * current's are left aside; a baseline of another machine makes every case NEW with that reason, a
 * changed definition the case NEW with that one. comparison: filled on success, to be freed with
 * kg_comparison_free; zeroed on failure */
bool kg_compare(const struct kg_baseline *baseline, const struct kg_results *current,
                enum kg_stage stage, struct kg_comparison *comparison, struct kg_error *err);

bool kg_comparison_write(const struct kg_comparison *comparison, const char *path,
                         struct kg_error *err);
bool kg_comparison_load(const char *path, struct kg_comparison *comparison, struct kg_error *err);
void kg_comparison_free(struct kg_comparison *comparison);
