/* suite.h: a suite file as typed data. The tables of suite_keys.c explain each key to the user. The
 * parser, `--set` and docs/suite.md use these tables. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/record.h"
#include "model/metric_table.h"
#include "model/policy.h"
#include "model/suggest_settings.h"

/* A place in the suite file, 1-based; 0: none, as for values from --set. */
struct kg_mark {
    unsigned line;
    unsigned column;
};

/* The most cases of a suite: every set of parameter values on every device it names. */
enum { KG_CASES_MOST = 100000 };

/* Ways to bring a workload: the rows of sources.def. */
enum kg_source {
#define KG_SOURCE(constant, ...) KG_SOURCE_##constant,
#include "model/sources.def"
#undef KG_SOURCE
    KG_SOURCE_COUNT
};

/* Form of the value of a source's key. */
enum kg_target {
    KG_TARGET_NAME, /* a name that kgate knows */
    KG_TARGET_FILE, /* a path; the key `workload` names an entry of the file */
    KG_TARGET_CODE, /* a path of GPU code; a struct kg_cuda_call has the call */
    KG_TARGET_WORDS /* a list of words, a program first */
};

struct kg_source_facts {
    enum kg_target target;
    bool own_process; /* each call is a process of its own, which kgate cannot examine */
};
extern const struct kg_source_facts kg_source_facts[KG_SOURCE_COUNT];
extern const char *const kg_source_names[KG_SOURCE_COUNT + 1]; /* their keys, then NULL */
/* names of the code that runs them, then NULL */
extern const char *const kg_backend_names[KG_SOURCE_COUNT + 1];

/* The facts of the source of that key; NULL if unknown, as in a newer kgate's file. */
const struct kg_source_facts *kg_source_find(const char *key);

extern const char *const kg_device_names[3]; /* of enum kgate_device */

enum { KG_PIN_NONE = -1, KG_PIN_AUTO = -2 };

/* Timed part of a call on the GPU; each timing of a workload is a case of its own. */
enum kg_timing {
    KG_TIMING_COLD,  /* one call, by the device's clock, without its data in the L2 cache */
    KG_TIMING_HOT,   /* calls back to back, by the device's clock, with caches as they are */
    KG_TIMING_GRAPH, /* calls recorded once and replayed as a CUDA graph, back to back */
    KG_TIMING_WALL,  /* one call, by the host's clock, until the device is done */
};
extern const char *const kg_timing_names[5];

/* Whether kgate observes a call apart from the timed rounds: it traces calls on the GPU; for the
 * CPU see cpu_counters_pass.c. KG_TRACING_PEAKS: it measures only the device's peaks. */
enum kg_tracing { KG_TRACING_NO, KG_TRACING_PEAKS, KG_TRACING_YES };

/* Whether `gate` and `ab` measure a case whose code equals its reference's. KG_UNCHANGED_USUAL:
 * `gate` does, and `ab` only if something else may differ (kg_builds_alike). */
enum kg_unchanged_code { KG_UNCHANGED_USUAL, KG_UNCHANGED_MEASURE, KG_UNCHANGED_SKIP };

/* How to measure and judge: the suite's `defaults`; a workload may override each. */
struct kg_settings {
    double thresholds[KG_METRIC_KINDS]; /* smallest relative change that matters, per metric */
    double min_effect_ns; /* smallest absolute change of time; 0: the timer's resolution */
    uint64_t min_memory_effect_bytes; /* smallest absolute change of peak memory */
    unsigned metrics;                 /* compared metrics, bits 1u << enum kg_metric_kind */
    unsigned unasked_metrics;         /* the default metrics except time, if the suite names none */
    uint64_t rounds_min;              /* 1 to rounds_max */
    uint64_t rounds_max;
    double min_time_ns;          /* measured time per round */
    bool min_time_named;         /* whether the suite names min_time */
    uint64_t iterations;         /* timed calls per round, at least; 0: min_time_ns decides */
    uint64_t warmup;             /* additional calls before the timed ones */
    double disturbance;          /* share of a round that may be spent waiting for a CPU */
    double timeout_ns;           /* for one worker process */
    uint64_t memory_limit_bytes; /* address space of a worker; 0: no limit */
    unsigned devices;            /* bits 1u << enum kgate_device */
    unsigned timings;            /* bits 1u << enum kg_timing, for cases on the GPU */
    enum kg_tracing trace;       /* observation apart from the rounds */
    double sample_time_ns;       /* sampling apart from the rounds; 0: no samples of functions */
    enum kg_unchanged_code unchanged_code;
    int pin;             /* a CPU number, KG_PIN_NONE or KG_PIN_AUTO */
    uint64_t threads;    /* threads of a workload; 0: one per CPU that it may use */
    uint64_t seed;       /* of the random input */
    uint64_t check_seed; /* of random choices in checks; 0: a new seed per run */
};

/* The number that settings have for a key of `defaults`; NaN: no such number. */
double kg_settings_number(const struct kg_settings *settings, const char *name);

/* A parameter and its values: one from `params`, several from `matrix`. */
struct kg_axis {
    const char *name;
    struct kg_mark mark;
    const char **values; /* scalar text as written; ranges are expanded into whole numbers */
    struct kg_mark *value_marks;
    size_t value_count; /* at least 1 */
};

enum kg_relation { KG_AT_LEAST, KG_AT_MOST }; /* ">=" and "<=" */

/* An absolute limit on a metric of results, besides the baseline. A range is two limits. */
struct kg_budget {
    const char *metric; /* a metric of kgate's, or a counter of the workload's, by name */
    enum kg_relation relation;
    double limit; /* in the metric's unit: ns, bytes, 1/s or a plain number */
    struct kg_mark mark;
};

/* A metric that the workload itself reports, and the rules for judging it. */
struct kg_counter_spec {
    const char *name;
    enum kg_better better;
    double threshold;
    const char *unit; /* "ns", "bytes", "J"; NULL: a number */
    struct kg_mark mark;
};

/* Place of a metric in a command's output. Either `json` or `regex` is set. */
struct kg_output_figure {
    const char *name; /* name of a counter */
    const char *json; /* a JSON pointer (RFC 6901); or NULL */
    /* a POSIX extended regular expression; its first group is the number; or NULL */
    const char *regex;
    const char *file; /* path as for the command, with {parameter}; NULL: standard output */
    double scale;     /* of its unit, in ns or bytes; 1 for other units */
};

/* A command's input besides its words, and its output besides its time. Texts may contain
 * {parameter}: unexpanded in a suite, expanded in a plan. In a plan, paths relative to the suite's
 * file begin with its folder. */
struct kg_command_setting {
    const char *format; /* format of the program's harness; NULL: a plain command */
    /* that harness's programs find a GPU themselves and measure on it */
    bool finds_gpu;
    struct kg_pair *environment; /* added to kgate's environment */
    size_t environment_count;
    const char *directory; /* NULL: kgate's working folder */
    const char *input;     /* a file for its standard input; NULL: /dev/null */
    const char **setup;    /* words of a command before a process's first call; or none */
    size_t setup_count;
    const char **cleanup; /* the same after the last call */
    size_t cleanup_count;
    double *exit_codes; /* statuses that are no failure; none: 0 */
    size_t exit_code_count;
    struct kg_output_figure *figures; /* read from its output after a process's last call */
    size_t figure_count;
};

/* Places of the settings in the suite. */
struct kg_command_marks {
    struct kg_mark format, environment, directory, input, setup, cleanup, figures;
};

struct kg_workload_spec {
    const char *name; /* unique in the suite */
    struct kg_mark mark;
    enum kg_source source;
    const char *target; /* a name, a file's path or the command's first word: see kg_target */
    struct kg_mark target_mark;
    const char *entry;    /* KG_TARGET_FILE, _CODE: entry of the file, by default `name`; or NULL */
    bool entry_given;     /* the entry is not the default */
    const char **command; /* KG_TARGET_WORDS: all words, with {parameter} unexpanded; else NULL */
    size_t command_count;
    struct kg_command_setting setting; /* KG_TARGET_WORDS */
    struct kg_command_marks setting_marks;
    struct kg_cuda_call *call; /* KG_TARGET_CODE, with {parameter} unexpanded; else NULL */
    struct kg_axis *axes;      /* params and matrix, in the order of the file */
    size_t axis_count;
    struct kg_budget *budgets;
    size_t budget_count;
    struct kg_counter_spec *counters;
    size_t counter_count;
    const char **tags;
    size_t tag_count;
    const char *skip_reason;     /* why its program cannot list its benchmarks; NULL: it can */
    const char *reference;       /* its version to compare others with, "yes" for all; or NULL */
    struct kg_settings settings; /* defaults with this workload's own on top */
};

struct kg_suite {
    struct kg_arena arena; /* owns everything below */
    const char *path;      /* as given */
    const char *name;      /* `suite:`; by default the file's name without its ending */
    const char *history;   /* `history:`: a path or a URL; NULL: none */
    struct kg_policy policy;
    struct kg_settings defaults;
    struct kg_suggest_settings suggest;
    struct kg_workload_spec *workloads;
    size_t workload_count;
};

/* Metric: speed of a case on the GPU over the same case on the CPU. */
#define KG_SPEEDUP_OVER_CPU "speedup_over_cpu"

/* Reads a suite.
 * path       a file; "-" for standard input.
 * overrides  `count` texts "key=value" that replace keys of `defaults`, such as "rounds.min=3".
 *            With "policy." or "suggest." in front they replace keys of these. Workloads inherit
 *            the new values.
 * suite      filled on success, to be freed with kg_suite_free; zeroed on failure.
 * err        on failure: KG_ERROR_USAGE with line and column, or KG_ERROR_SYSTEM.
 * Limits: 16 MiB per file, 64 KiB per scalar, 32 levels, 1,000,000 nodes with aliases followed. */
bool kg_suite_load(const char *path, const char *const *overrides, size_t count,
                   struct kg_suite *suite, struct kg_error *err);

/* The same from memory; errors name `path`. */
bool kg_suite_parse(const char *path, const char *bytes, size_t length,
                    const char *const *overrides, size_t count, struct kg_suite *suite,
                    struct kg_error *err);

void kg_suite_free(struct kg_suite *suite);
