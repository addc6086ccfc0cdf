/* comparison.h: the changes between a baseline and results, and the gate's decision; JSON in
 * kgate.comparison.v1. The decision needs structs alone; reports only print it. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "model/baseline.h"
#include "model/policy.h"
#include "model/results.h"
#include "model/waivers.h"

#define KG_COMPARISON_SCHEMA "kgate.comparison.v1"

/* Exit status of the program, from the decision. */
enum kg_exit {
    KG_EXIT_PASS = 0,
    KG_EXIT_REGRESSION = 1, /* or another change that the policy fails on */
    KG_EXIT_USAGE = 2,
    KG_EXIT_FAILED = 3,     /* a workload failed or could not be measured */
    KG_EXIT_NO_VERDICT = 4, /* UNDECIDED */
};

/* Reasons for UNDECIDED: a suspect; most cases undecided; nothing compared; a stored case that was
 * not compared; an interrupted run; no verdict on a case although the policy demands one. */
enum kg_verdict {
#define KG_VERDICT(constant, ...) KG_VERDICT_##constant,
#include "model/changes.def"
    KG_VERDICT_COUNT
};
extern const char *const kg_verdict_names[KG_VERDICT_COUNT + 1];

/* The reference of a metric. `against` of struct kg_metric holds this word; after "pin" the run's
 * name follows. */
enum kg_against { KG_AGAINST_BASELINE, KG_AGAINST_BASE, KG_AGAINST_PIN, KG_AGAINST_BUDGET };
extern const char *const kg_against_names[5];

/* Reason code: why a metric got its change. reasons.c has a sentence for each. */
enum kg_doubt {
    KG_DOUBT_NONE,         /* the numbers need no explanation */
    KG_DOUBT_CODE_CHANGED, /* the metric changed, and the machine code changed too */
    /* the metric changed, and so did a library that is loaded with the code */
    KG_DOUBT_LIBRARY_OTHER,
    KG_DOUBT_CODE_ALONE, /* the metric changed, the code did not; its libraries are unknown */
    /* neither code nor libraries changed; but the code can load, start or open more */
    KG_DOUBT_CODE_OPEN,
    /* NO_CHANGE although the numbers moved: nothing else changed. Or the metric changed, and
     * neither the code nor its libraries did */
    KG_DOUBT_CODE_UNCHANGED,
    KG_DOUBT_ENVIRONMENT,    /* the metric changed, the code did not, and `environment` did */
    KG_DOUBT_CLOCK_EXPLAINS, /* NO_CHANGE: the time changed with the GPU's clock alone */
    KG_DOUBT_UNLIKE,         /* only in files of kgate 0.1: averages of different call counts */
    KG_DOUBT_MEAN,           /* the mean changed, the typical round did not */
    KG_DOUBT_CALL_CPU,       /* the CPU time per call changed, the typical round did not */
    KG_DOUBT_FEW_ROUNDS,     /* too few rounds to call a metric unchanged */
    KG_DOUBT_CLOCK_MAY,      /* the time changed with the GPU's clock, which may not be the cause */
    KG_DOUBT_CYCLES,         /* the time changed; in cycles it changed too little */
    KG_DOUBT_UNCONFIRMED,    /* suspected, and not measured again */
    KG_DOUBT_ALL_DISTURBED,  /* suspected, and CPU contention disturbed all confirming rounds */
    KG_DOUBT_UNPROVEN,       /* beyond the threshold, but not significant */
    KG_DOUBT_EFFECT,         /* the interval includes an absolute change that would count */
    KG_DOUBT_STEPPED,        /* beyond both levels of the stored runs */
    KG_DOUBT_NOISE,          /* the interval fits the noise floor, not the suite's threshold */
    KG_DOUBT_CROSSING,       /* the interval crosses the threshold */
    KG_DOUBT_UNCOUNTED,      /* the value could not be measured; `cause` has the reason */
    KG_DOUBT_BUSY,           /* the rounds waited too long for a CPU; see `cause` */
    KG_DOUBT_DISTURBED,      /* beyond the threshold, but by less than a busy machine explains */
    KG_DOUBT_NOT_STORED,     /* the reference has no value from the source `cause` */
    KG_DOUBT_BUDGET_UNKNOWN, /* the budget's value is unknown; see `cause` */
    KG_DOUBT_BUDGET_MISSED,
    KG_DOUBT_WIDENED, /* a part of the rounds became far slower */
    /* the time changed without proof, and the instructions confirm the change */
    KG_DOUBT_INSTRUCTIONS,
    KG_DOUBT_UNSEEN, /* worse by more than another load explains, with the same code */
    /* worse than the stored runs, but not in paired rounds, and kgate knows only a part of the
     * case's code; see `cause` */
    KG_DOUBT_DRIFT,
    KG_DOUBT_CLOCKS, /* memory-bound, and the clocks may explain the time */
    KG_DOUBT_POWER,  /* the time changed with the GPU's clock, which the power limit lowered */
    KG_DOUBT_ENERGY, /* the same, and the energy per call rose: REGRESSION */
    KG_DOUBT_NODE, /* worse than the stored runs, on a machine slower than its peers; see `cause` */
    KG_DOUBT_SAME_FILE, /* NO_CHANGE: both sides are the same file */
};

/* One metric of a case against one reference. */
struct kg_metric {
    const char *name;    /* "time", "peak_memory", a counter's name, or a budget's metric */
    const char *against; /* "baseline", "base" (of `ab`), "pin NAME", or "budget" */
    const char *unit;    /* "ns", "bytes", "1/s", or "" */
    double baseline;     /* the reference's value, or the budget's limit */
    double current;
    double ratio;          /* current / baseline; if a peak is 0: both plus one byte */
    double difference;     /* current - baseline; set by kg_case_decide, like the next */
    double change_percent; /* the ratio as a change in per cent */
    double interval_low;   /* of the ratio, 95 %; NaN: not estimated */
    double interval_high;
    /* adjusted for the number of tests (Holm); NaN: not tested, as memory, budgets and repeating
     * counts */
    double p_value;
    double asked_threshold; /* the suite's: NO_CHANGE must lie within it */
    /* relative change that counts: the larger of the suite's threshold and the noise floor,
     * raised by the doubts below */
    double threshold;
    double noise_floor;   /* share; NaN: the baseline has one run */
    double min_effect;    /* absolute change that counts, in the unit */
    double pace_shift;    /* log of the clock probe's time over the reference's; NaN: unknown */
    double pace_exponent; /* power of the probe's time that times follow; corrects `current` */
    double pace_doubt;    /* raises the threshold: a share, for the error of the exponent */
    double memory_doubt;  /* the same for slower or faster memory; NaN: unknown */
    double wait_doubt;    /* the same for the current rounds' waits for a CPU; NaN: unknown */
    /* If the reference's runs moved once from one level to another, and the current run is worse
     * than both. step: newer level / older; beyond: current / the worse of both. Else NaN. */
    double step;
    double beyond;
    /* For a time on the GPU: current / baseline in cycles of its multiprocessors, and the 95 %
     * interval. A change must show here too. Else NaN. */
    double cycles_ratio;
    double cycles_low;
    double cycles_high;
    /* memory-bound: factor of `ratio` that the clocks of memory and multiprocessors may explain. The rest decides
     * instead of the cycles. Else NaN */
    double clock_part;
    /* if the clock fell at the power limit: power of both sides, W; base_power_w may be unknown. Else NaN */
    double power_w;
    double base_power_w;
    double energy_ratio; /* KG_DOUBT_ENERGY only; else NaN */
    enum kg_better better;
    bool unasked;       /* compared by default: if INCONCLUSIVE, other metrics decide the case */
    bool suspected;     /* screening rounds show a change, and no confirming round supports it */
    bool out_of_budget; /* undecided, and --budget left no time for the next rounds */
    enum kg_change change;
    enum kg_doubt doubt;
    /* `change` and `doubt` follow from these fields and the fields above. */
    size_t base_rounds;
    size_t current_rounds;
    size_t least_rounds; /* per side, before the metric can be called unchanged */
    bool of_processes;   /* the rounds are processes of a profile */
    bool code_unchanged; /* time only: the machine code equals the reference's */
    /* time only: same code and libraries, which can bring no other code; in no file */
    bool code_same;
    const char *code; /* state of the code, for a time and beside `environment`; or NULL */
    /* the differing variables, in words, unless the code is known to have changed; NULL: none */
    const char *environment;
    double needed_p;           /* the p_value that a change needs; NaN: not tested */
    double mean_ratio;         /* time only: ratio of the rounds' means; NaN: unknown */
    double call_cpu_ratio;     /* time only: ratio of the CPU times per call; NaN: unknown */
    double instructions_ratio; /* KG_DOUBT_INSTRUCTIONS only; else NaN */
    double tail;               /* KG_DOUBT_WIDENED only: see struct kg_widening; else NaN */
    double base_tail;          /* the baseline's `tail` */
    double screened_ratio;     /* screening's ratio that confirming rounds refuted; else NaN */
    size_t screened_rounds;
    /* for metrics besides time: medians in the compared ordinary runs, oldest first */
    double *history;
    size_t history_count;
    const char *cause; /* cause of the reason code, if other code knows it; else NULL */
    /* one sentence, from `doubt` and the fields above; NULL: the numbers suffice */
    const char *reason;
};

/* For an initialiser: fields of a metric without an estimate. Needs <math.h>. */
#define KG_METRIC_NOT_ESTIMATED                                                                    \
    .interval_low = NAN, .interval_high = NAN, .p_value = NAN, .noise_floor = NAN,                 \
    .pace_shift = NAN, .pace_exponent = NAN, .pace_doubt = NAN, .cycles_ratio = NAN,               \
    .cycles_low = NAN, .cycles_high = NAN, .memory_doubt = NAN, .wait_doubt = NAN,                 \
    .needed_p = NAN, .mean_ratio = NAN, .call_cpu_ratio = NAN, .screened_ratio = NAN, .step = NAN, \
    .clock_part = NAN, .power_w = NAN, .base_power_w = NAN, .energy_ratio = NAN, .beyond = NAN,    \
    .tail = NAN, .base_tail = NAN, .instructions_ratio = NAN

struct kg_case_change {
    const char *id;
    const char *workload;
    size_t line; /* line of the suite with its workload's name; 0: unknown */
    const char *device;
    enum kg_change change;      /* the worst of its metrics: FAILED, REGRESSION, … */
    const char *reason;         /* of FAILED, SKIPPED, NEW; otherwise the deciding metric's */
    const char *stderr_tail;    /* FAILED: the last lines that it wrote; NULL: none */
    bool fails;                 /* the policy fails on it */
    enum kg_waiver_kind waived; /* why the case does not fail the gate */
    /* the accepted change or the quarantine, with its reason, even if expired; or NULL */
    const char *waiver;
    double instability; /* of its stored runs (waivers_apply.h); NaN: unknown */
    bool not_measured;  /* NO_CHANGE because its code equals its reference's */
    bool unpaired;      /* the baseline side of paired rounds could not be measured; in no file */
    bool redefined;     /* NEW because its definition changed: stored runs have another one */
    bool missing;       /* stored but not compared: SKIPPED, REMOVED, or a metric without a value */
    bool unrecorded;    /* not stored: the gate should have stored it, and could not measure it */
    size_t order;       /* its place in the results; removed cases come last */
    size_t shard;       /* number of its shard, from 1; 0: the comparison is no merge */
    const char *node;   /* name of the machine that measured it; NULL: no merge, or MISSING */
    size_t rounds;
    size_t confirming_rounds; /* number of the rounds that decided */
    size_t pairs;   /* paired rounds against the baseline's build, decisive or not; 0: none */
    double time_ns; /* median, NaN without rounds */
    double baseline_time_ns; /* REMOVED only: median in the newest stored run; else NaN */
    double *history;         /* medians of its time in the compared ordinary runs, oldest first */
    size_t history_count;
    struct kg_metric *metrics; /* the deciding metric first */
    size_t metric_count;
    struct kg_figure *figures; /* numbers that its workload reports, judged or not */
    size_t figure_count;
};

struct kg_change_counts {
    size_t of[KG_CHANGE_COUNT];
};

/* How cases changed together, as far as their time against the baseline was decided. */
struct kg_overall {
    const char *workload; /* NULL: the suite */
    bool of_program;      /* a profile: its outermost scopes, with their totals per process */
    size_t cases;         /* number of its cases */
    /* number of cases with a decided time: the next three fields are about them */
    size_t counted;
    double geometric_ratio; /* geometric mean of current / baseline; NaN: no case */
    double baseline_ns;     /* sum of one call per case */
    double current_ns;
    size_t compared;       /* number of cases with a time on both sides, decided or not */
    double compared_ratio; /* geometric mean of their ratios; NaN: no case */
};

/* A command that a FAIL suggests. */
struct kg_next_command {
    const char *purpose; /* "reproduce", "accept", "quarantine" or "explain" */
    const char *command; /* for a shell */
};

/* A machine of a fleet in a merged comparison. */
struct kg_node {
    const char *name;
    const char *host; /* as in struct kg_machine, like the next two */
    const char *fingerprint;
    const char *epoch;
    size_t shards;  /* number of its shards with results */
    size_t cases;   /* number of its cases with results */
    size_t missing; /* number of cases of its shards without results */
    double seconds; /* measured time of its shards; NaN: unknown */
    /* shares by which it is slower than the median of the other nodes of its fingerprint; NaN: unknown */
    double clock_shift;
    double bandwidth_shift;
    bool suspect;
    const char *reason; /* why it is suspect, or why results are missing; NULL: neither */
};

struct kg_comparison {
    struct kg_arena arena; /* owns everything below, nothing is borrowed */
    const char *created;
    const char *kgate_version;
    const char *suite;
    const char *suite_path; /* as given; NULL: unknown */
    const char *commit;     /* of the candidate, as in struct kg_results; NULL: unknown */
    const char *branch;     /* of the candidate; NULL: unknown */
    const char *base;       /* `ab OLD NEW`: both as given; else NULL */
    const char *head;
    enum kg_verdict verdict;
    size_t exit_status; /* an enum kg_exit */
    bool
        first_run; /* the gate recorded its baseline and compared nothing; the first reason says so */
    const char **verdict_reasons; /* sentences; the first set the exit status */
    size_t verdict_reason_count;
    const char *next; /* advice for UNDECIDED or a first run, one sentence; else NULL */
    struct kg_next_command *next_commands; /* for the worst failing case; none if no case fails */
    size_t next_command_count;
    const char *trust;  /* source of suite, baselines and accepted changes; NULL: as given */
    const char **edits; /* edits of these by the change under test, used or not */
    size_t edit_count;
    struct kg_results_policy policy;
    bool complete;
    const char *baseline_created; /* of the newest ordinary run; NULL: no such run */
    const char *baseline_commit;  /* of the newest ordinary run; NULL: no such run, or unknown */
    const char *baseline_branch;
    size_t baseline_runs; /* number of compared ordinary runs */
    size_t prior_cases;   /* number of cases whose noise comes from a history, too */
    size_t prior_runs;    /* most runs behind one of these */
    const char **pins;    /* names of the compared pinned runs */
    size_t pin_count;
    struct kg_machine machine; /* of the current results */
    struct kg_node *nodes;     /* `merge` only */
    size_t node_count;
    size_t unnamed;     /* `merge` only: number of MISSING cases that are not in `cases` */
    const char **notes; /* differing facts, and everything else that a reader must know */
    size_t note_count;
    struct kg_change_counts counts;
    size_t not_measured;          /* of counts.no_change: cases with their reference's code */
    struct kg_overall *overall;   /* of the suite, then of each workload in its order */
    size_t overall_count;         /* 0: no time was compared */
    struct kg_case_change *cases; /* ranked: failed, worst regression … best improvement … rest */
    size_t case_count;
};

extern const struct kg_record kg_comparison_record;

/* The kind of the metric's `against`. */
enum kg_against kg_metric_against(const struct kg_metric *metric);

/* The name of the pinned run that the metric is compared with; NULL: no pinned run. */
const char *kg_metric_pin(const struct kg_metric *metric);

/* ">=" or "<=": the required relation of a budget's value to its limit. */
const char *kg_metric_relation(const struct kg_metric *metric);

/* Number of interim analyses of confirming rounds. After an unclear one, kgate may take as many
 * rounds again. Each has its part of alpha, so together they give no more false alarms. */
enum { KG_CONFIRMING_LOOKS = 3 };

/* How the number of rounds was chosen. */
enum kg_stage {
    KG_STAGE_PROFILE, /* as final; but paths of a program come and go: no path is missing */
    KG_STAGE_FINAL,   /* fixed beforehand: the rounds decide */
    /* depends on the rounds' values: without confirming rounds a change is only SUSPECT */
    KG_STAGE_SCREEN,
};

/* Compares. If a case has confirming rounds, they alone decide. Other suites' runs are ignored.
 * With another machine's baseline every case is NEW; with a changed definition, the case is NEW.
 * `reason` explains it.
 * comparison  filled, to be freed with kg_comparison_free */
void kg_compare(const struct kg_baseline *baseline, const struct kg_results *current,
                enum kg_stage stage, struct kg_comparison *comparison);

bool kg_comparison_write(const struct kg_comparison *comparison, const char *path,
                         struct kg_error *err);
bool kg_comparison_load(const char *path, struct kg_comparison *comparison, struct kg_error *err);
void kg_comparison_free(struct kg_comparison *comparison);
