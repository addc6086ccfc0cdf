/* comparison.h: what changed between a baseline and results, what the gate decides, JSON in
 * kgate.comparison.v1. Decided here from structs alone; reports only print it. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/baseline.h"
#include "model/policy.h"
#include "model/results.h"
#include "model/waivers.h"

#define KG_COMPARISON_SCHEMA "kgate.comparison.v1"

/* Exit status of the program, from what was decided. */
enum kg_exit {
    KG_EXIT_PASS = 0,
    KG_EXIT_REGRESSION = 1, /* or another change that the policy fails on */
    KG_EXIT_USAGE = 2,
    KG_EXIT_FAILED = 3,     /* a workload failed or could not be measured */
    KG_EXIT_NO_VERDICT = 4, /* UNDECIDED */
};

/* UNDECIDED: a suspect, most cases undecided, nothing compared, a stored case that was not
 * compared, an interrupted run, or no verdict on a case where the policy demands one. */
enum kg_verdict {
#define KG_VERDICT(constant, ...) KG_VERDICT_##constant,
#include "model/changes.def"
    KG_VERDICT_COUNT
};
extern const char *const kg_verdict_names[KG_VERDICT_COUNT + 1];

/* What a metric is compared with. `against` of struct kg_metric holds this word; after "pin" the
 * run's name follows. */
enum kg_against { KG_AGAINST_BASELINE, KG_AGAINST_BASE, KG_AGAINST_PIN, KG_AGAINST_BUDGET };
extern const char *const kg_against_names[5];

/* Why a metric got its change. reasons.c has a sentence for each. */
enum kg_doubt {
    KG_DOUBT_NONE,           /* the figures need no explanation */
    KG_DOUBT_CODE_CHANGED,   /* the metric changed, and the machine code changed too */
    KG_DOUBT_LIBRARY_OTHER,  /* and a library that is loaded with the code changed too */
    KG_DOUBT_CODE_ALONE,     /* and the code did not change; its libraries are not known */
    KG_DOUBT_CODE_OPEN,      /* and neither changed; but the code can load, start or open more */
    KG_DOUBT_CODE_UNCHANGED, /* NO_CHANGE, though the figures moved: nothing else changed. Or the
                                metric changed, and neither the code nor its libraries did */
    KG_DOUBT_ENVIRONMENT,    /* the metric changed, the code did not, and `environment` did */
    KG_DOUBT_CLOCK_EXPLAINS, /* NO_CHANGE: the time moved with the GPU's clock alone */
    KG_DOUBT_UNLIKE,         /* in files of kgate 0.1 only: averages of different call counts */
    KG_DOUBT_MEAN,           /* the mean moved, the typical round did not */
    KG_DOUBT_CALL_CPU,       /* the CPU time of a call moved, the typical round did not */
    KG_DOUBT_FEW_ROUNDS,     /* too few to call anything unchanged */
    KG_DOUBT_CLOCK_MAY,      /* the time moved with the GPU's clock, which may not be why */
    KG_DOUBT_CYCLES,         /* the time moved; in cycles it moved too little */
    KG_DOUBT_UNCONFIRMED,    /* suspected, and not measured again */
    KG_DOUBT_ALL_DISTURBED,  /* suspected, and all rounds that were to confirm it were disturbed */
    KG_DOUBT_UNPROVEN,       /* beyond the threshold, but not significant */
    KG_DOUBT_EFFECT,         /* the interval includes an absolute effect that would count */
    KG_DOUBT_STEPPED,        /* beyond both levels that the stored runs have */
    KG_DOUBT_NOISE,          /* the interval fits the noise floor, not the suite's threshold */
    KG_DOUBT_CROSSING,       /* the interval crosses the threshold */
    KG_DOUBT_UNCOUNTED,      /* the figure could not be measured; `cause` says why */
    KG_DOUBT_BUSY,           /* the rounds waited for a CPU for too long; `cause` says so */
    KG_DOUBT_DISTURBED,      /* beyond the threshold, but by less than a busy machine explains */
    KG_DOUBT_NOT_STORED,     /* the reference has no figure from the source `cause` */
    KG_DOUBT_BUDGET_UNKNOWN, /* the budget's figure is unknown; `cause` says why */
    KG_DOUBT_BUDGET_MISSED,
    KG_DOUBT_WIDENED,      /* a part of the rounds became far slower */
    KG_DOUBT_INSTRUCTIONS, /* the time changed without proof, and its instructions confirm it */
    KG_DOUBT_UNSEEN,       /* worse by more than another load explains, with the same code */
    KG_DOUBT_DRIFT,        /* worse than the stored runs, not in pairs, and the code is not all that
                              kgate knows of the case; `cause` says so */
};

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
    double pace_shift;      /* log of the pace over the reference's; NaN: unknown */
    double pace_exponent;   /* power of the pace that times follow; corrects `current` */
    double pace_doubt;      /* raises the threshold: a share, for the error of the exponent */
    double memory_doubt;    /* likewise, for memory that became slower or faster; NaN: unknown */
    double wait_doubt; /* likewise, for what the current rounds waited for a CPU; NaN: unknown */
    /* Where the reference's runs moved once from one level to another, and the current one lies beyond
     * both to the worse side: newer level / older, and current / the worse of both. NaN elsewhere. */
    double step;
    double beyond;
    /* A time on the GPU, in cycles of its multiprocessors: current / baseline and its interval,
     * 95 %. A change must show here too. NaN elsewhere. */
    double cycles_ratio;
    double cycles_low;
    double cycles_high;
    enum kg_better better;
    bool unasked;       /* compared by default: if it is INCONCLUSIVE, others decide the case */
    bool suspected;     /* screening rounds show a change that no confirming round backs */
    bool out_of_budget; /* undecided, and --budget had no time for the rounds that it wanted next */
    enum kg_change change;
    enum kg_doubt doubt;
    /* `change` and `doubt` were decided from these and the figures above. */
    size_t base_rounds;
    size_t current_rounds;
    size_t least_rounds; /* that each side needs before the metric can be called unchanged */
    bool of_processes;   /* the rounds are processes of a profile */
    bool code_unchanged; /* of a time: the machine code is the reference's */
    bool code_same; /* of a time: code and libraries are, and can bring no other code; in no file */
    const char *code;          /* of a time, and beside `environment`: what the code did; or NULL */
    const char *environment;   /* where the code is not known to have changed: the variables that
                                differ, in words; NULL: none */
    double needed_p;           /* the p_value that a change needs; NaN where not tested */
    double mean_ratio;         /* of a time: ratio of the rounds' means; NaN: unknown */
    double call_cpu_ratio;     /* of a time: ratio of the CPU times of a call; NaN: unknown */
    double instructions_ratio; /* of KG_DOUBT_INSTRUCTIONS; else NaN */
    double tail;               /* of KG_DOUBT_WIDENED, as struct kg_widening has it; else NaN */
    double base_tail;          /* likewise */
    double screened_ratio; /* ratio that screening saw and confirming rounds refuted; else NaN */
    size_t screened_rounds;
    double *history; /* of another than the time, which the case has: its medians in the
                              ordinary runs compared with, oldest first */
    size_t history_count;
    const char *cause;  /* of a doubt whose cause is known from elsewhere; else NULL */
    const char *reason; /* one sentence, from `doubt` and the above; NULL: figures say it all */
};

/* In an initialiser: figures that a metric without an estimate does not have. Needs <math.h>. */
#define KG_METRIC_NOT_ESTIMATED                                                                    \
    .interval_low = NAN, .interval_high = NAN, .p_value = NAN, .noise_floor = NAN,                 \
    .pace_shift = NAN, .pace_exponent = NAN, .pace_doubt = NAN, .cycles_ratio = NAN,               \
    .cycles_low = NAN, .cycles_high = NAN, .memory_doubt = NAN, .wait_doubt = NAN,                 \
    .needed_p = NAN, .mean_ratio = NAN, .call_cpu_ratio = NAN, .screened_ratio = NAN, .step = NAN, \
    .beyond = NAN, .tail = NAN, .base_tail = NAN, .instructions_ratio = NAN

struct kg_case_change {
    const char *id;
    const char *workload;
    size_t line; /* of the suite, on which its workload is named; 0: not known */
    const char *device;
    enum kg_change change;   /* the worst of its metrics: FAILED, REGRESSION, … */
    const char *reason;      /* why, for FAILED, SKIPPED, NEW; else that of the deciding metric */
    const char *stderr_tail; /* of FAILED: the last lines that it wrote; NULL where none */
    bool fails;              /* the policy fails on it */
    enum kg_waiver_kind waived; /* why it fails nothing all the same */
    const char *waiver; /* what was accepted or quarantined, and why, also where that is over; or
                           NULL */
    double instability; /* of its stored runs (waivers_apply.h); NaN: not known */
    bool not_measured;  /* NO_CHANGE because its code is its reference's */
    bool unpaired;      /* the base of paired rounds could not be measured; in no file */
    bool missing;       /* it is stored, and was not compared: SKIPPED, REMOVED, or a metric of it
                           has no figure */
    bool unrecorded;    /* it is not stored, was to be, and could not be measured */
    size_t order;       /* its place in the results; removed cases come after all of them */
    size_t rounds;
    size_t confirming_rounds; /* of them, those that decided */
    size_t pairs;    /* against the baseline's build, that settled it or could not; 0: none */
    double time_ns;  /* median, NaN without rounds */
    double *history; /* medians of its time in the ordinary runs compared with, oldest first */
    size_t history_count;
    struct kg_metric *metrics; /* the deciding one first */
    size_t metric_count;
    struct kg_figure *figures; /* what its workload reports, judged or not */
    size_t figure_count;
};

struct kg_change_counts {
    size_t of[KG_CHANGE_COUNT];
};

/* How cases changed together: those whose time against the baseline (of `ab` the base) was decided. */
struct kg_overall {
    const char *workload;   /* NULL: the suite */
    size_t cases;           /* that it has */
    size_t counted;         /* of them, those that the figures are of */
    double geometric_ratio; /* geometric mean of current / baseline; NaN without any */
    double baseline_ns;     /* sums of one call of each */
    double current_ns;
    size_t compared;       /* those with a time and one to compare it with, decided or not */
    double compared_ratio; /* geometric mean of theirs; NaN without any */
};

struct kg_comparison {
    struct kg_arena arena; /* owns everything below, nothing is borrowed */
    const char *created;
    const char *kgate_version;
    const char *suite;
    const char *suite_path; /* as given; NULL: not known */
    const char *commit;     /* of the candidate, as struct kg_results has it; NULL: not known */
    const char *branch;     /* likewise */
    const char *base;       /* of `ab OLD NEW` both as given; else NULL */
    const char *head;
    enum kg_verdict verdict;
    size_t exit_status;           /* an enum kg_exit */
    const char **verdict_reasons; /* sentences, the one that set the exit status first */
    size_t verdict_reason_count;
    const char *next; /* what to do about an UNDECIDED or a first run: a sentence; else NULL */
    const char
        *trust; /* what suite, baselines and accepted changes were taken from; NULL: as given */
    const char **edits; /* what the change edited of these: used or not */
    size_t edit_count;
    struct kg_results_policy policy;
    bool complete;
    const char *baseline_created; /* of the newest ordinary run; NULL without one */
    const char *baseline_commit;  /* likewise; NULL also where it is not known */
    const char *baseline_branch;
    size_t baseline_runs; /* ordinary runs compared with */
    const char **pins;    /* names of the pinned runs compared with */
    size_t pin_count;
    struct kg_machine machine; /* of the current results */
    const char **notes;        /* facts that differ and whatever else a reader must know */
    size_t note_count;
    struct kg_change_counts counts;
    size_t
        not_measured; /* cases of NO_CHANGE whose code is their reference's: of counts.no_change */
    struct kg_overall *overall;   /* of the suite, then of each workload in its order */
    size_t overall_count;         /* 0: no time was compared */
    struct kg_case_change *cases; /* ranked: failed, worst regression … best improvement … rest */
    size_t case_count;
};

extern const struct kg_record kg_comparison_record;

/* What the metric's `against` means. */
enum kg_against kg_metric_against(const struct kg_metric *metric);

/* The name of the pinned run that the metric is compared with; NULL where that is no pin. */
const char *kg_metric_pin(const struct kg_metric *metric);

/* ">=" or "<=": how a budget's value must stand to its limit. */
const char *kg_metric_relation(const struct kg_metric *metric);

/* How often confirming rounds may be looked at: what is not clear at the first look may get as many
 * again. Each look has its part of alpha, so that all of them together alarm no more often. */
enum { KG_CONFIRMING_LOOKS = 3 };

/* How the rounds came about. */
enum kg_stage {
    KG_STAGE_PROFILE, /* as final; but paths of a program come and go: none is missing */
    KG_STAGE_FINAL,   /* the number of rounds was fixed beforehand: they decide */
    KG_STAGE_SCREEN,  /* the number of rounds depends on what they show: without confirming rounds a
                        change is only suspected: SUSPECT */
};

/* Compares. Where a case has confirming rounds, they alone decide. Other suites' runs are ignored.
 * A baseline of another machine makes every case NEW, a changed definition its case; `reason` says
 * so.
 * comparison  filled on success, to be freed with kg_comparison_free; zeroed on failure */
void kg_compare(const struct kg_baseline *baseline, const struct kg_results *current,
                enum kg_stage stage, struct kg_comparison *comparison);

bool kg_comparison_write(const struct kg_comparison *comparison, const char *path,
                         struct kg_error *err);
bool kg_comparison_load(const char *path, struct kg_comparison *comparison, struct kg_error *err);
void kg_comparison_free(struct kg_comparison *comparison);
