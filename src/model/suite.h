/* suite.h: a suite file as typed data. What the keys mean to a user is said once, in the tables
 * of suite_keys.c, from which the parser, `--set` and docs/suite.md take them. */
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

/* A place in the suite file, 1-based; 0 where a value has none, as with --set. */
struct kg_mark {
    unsigned line;
    unsigned column;
};

/* The most cases of a suite: every set of parameter values on every device it names. */
enum { KG_CASES_MOST = 100000 };

/* How a workload is brought: sources.def has the rows, and says how to add one. */
enum kg_source {
#define KG_SOURCE(constant, ...) KG_SOURCE_##constant,
#include "model/sources.def"
#undef KG_SOURCE
    KG_SOURCE_COUNT
};

/* How the value of a source's key reads. */
enum kg_target {
    KG_TARGET_NAME, /* a name of kgate's */
    KG_TARGET_FILE, /* a path; the key `workload` names what in the file is meant */
    KG_TARGET_CODE, /* a path of GPU code; how it is called is a struct kg_cuda_call */
    KG_TARGET_WORDS /* a list of words, a program first */
};

struct kg_source_facts {
    enum kg_target target;
    bool own_process; /* each call is a process of its own, which kgate cannot look into */
};
extern const struct kg_source_facts kg_source_facts[KG_SOURCE_COUNT];
extern const char *const kg_source_names[KG_SOURCE_COUNT + 1];  /* their keys, then NULL */
extern const char *const kg_backend_names[KG_SOURCE_COUNT + 1]; /* what runs them, likewise */

/* The facts of the source of that key; NULL where there is none, as in the file of a newer
 * kgate. */
const struct kg_source_facts *kg_source_find(const char *key);

extern const char *const kg_device_names[3]; /* of enum kgate_device */

enum { KG_PIN_NONE = -1, KG_PIN_AUTO = -2 };

/* What of a call on the GPU is timed; each that a workload names is a case of its own. */
enum kg_timing {
    KG_TIMING_COLD,  /* one call, by the device's clock, with nothing of its data in the L2 cache */
    KG_TIMING_HOT,   /* calls back to back, likewise, as the caches are */
    KG_TIMING_GRAPH, /* calls recorded once and replayed as a CUDA graph, back to back */
    KG_TIMING_WALL,  /* one call, by the host's clock, until the device is done */
};
extern const char *const kg_timing_names[5];

/* Whether a call is observed apart from the timed rounds: traced on the GPU, and on the CPU as
 * cpu_counters_pass.c says. */
enum kg_tracing { KG_TRACING_NO, KG_TRACING_YES };

/* Whether `gate` and `ab` measure a case whose code is that of its reference. Usual: `gate` does, and `ab`
 * does only where something else may differ (kg_builds_alike). */
enum kg_unchanged_code { KG_UNCHANGED_USUAL, KG_UNCHANGED_MEASURE, KG_UNCHANGED_SKIP };

/* How to measure and judge: the suite's `defaults`, each of which a workload may override. */
struct kg_settings {
    double thresholds[KG_METRIC_KINDS]; /* smallest relative change of each that matters */
    double min_effect_ns; /* smallest absolute change of time; 0: what the timer resolves */
    uint64_t min_memory_effect_bytes; /* the same of peak memory */
    unsigned metrics;                 /* bits 1u << enum kg_metric_kind: what is compared */
    unsigned unasked_metrics; /* those of the default, except time, where the suite names none */
    uint64_t rounds_min;      /* 1 to rounds_max */
    uint64_t rounds_max;
    double min_time_ns;          /* measured time a round */
    uint64_t warmup;             /* calls before the timed ones, beside those made anyway */
    double disturbance;          /* share of a round that it may wait for a CPU */
    double timeout_ns;           /* for one worker process */
    uint64_t memory_limit_bytes; /* address space of a worker; 0: none */
    unsigned devices;            /* bits 1u << enum kgate_device */
    unsigned timings;            /* bits 1u << enum kg_timing: of cases on the GPU */
    enum kg_tracing trace;       /* apart from the rounds */
    double sample_time_ns;       /* likewise; 0: functions are not looked at */
    enum kg_unchanged_code unchanged_code;
    int pin;             /* a CPU number, KG_PIN_NONE or KG_PIN_AUTO */
    uint64_t threads;    /* threads of a workload; 0: one for each CPU it may use */
    uint64_t seed;       /* of the random input */
    uint64_t check_seed; /* of what checks draw; 0: drawn for each run */
};

/* The number that settings have for a key of `defaults`; NaN where there is no such number. */
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

/* An absolute limit on a metric of results, besides the baseline. A range is two of them. */
struct kg_budget {
    const char *metric; /* one of kgate's own, or the name of one of the workload's counters */
    enum kg_relation relation;
    double limit; /* ns, bytes, 1/s or a plain number, as the metric is */
    struct kg_mark mark;
};

/* A figure that the workload itself reports, and how it is judged. */
struct kg_counter_spec {
    const char *name;
    enum kg_better better;
    double threshold;
    const char *unit; /* "ns", "bytes", "J"; NULL: a number */
    struct kg_mark mark;
};

/* Where a figure of a command stands in what it writes. Of the two ways one is given. */
struct kg_output_figure {
    const char *name;  /* of a counter */
    const char *json;  /* a JSON pointer (RFC 6901); or NULL */
    const char *regex; /* a POSIX extended regular expression, whose first group it is; or NULL */
    const char *file;  /* as the command would name it, with {parameter}; NULL: standard output */
    double scale;      /* of its unit, in ns or bytes; 1 where it is none of these */
};

/* What a command gets besides its words, and gives besides its time. Texts may have {parameter} in them: unexpanded in a suite,
 * put in in a plan, where paths that are relative to the suite's file also have its folder in front. */
struct kg_command_setting {
    const char *format;          /* of the harness whose program it is; NULL: a plain command */
    bool finds_gpu;              /* that harness's programs measure on a GPU that they find */
    struct kg_pair *environment; /* besides what kgate was started with */
    size_t environment_count;
    const char *directory; /* NULL: where kgate was started */
    const char *input;     /* a file for its standard input; NULL: /dev/null */
    const char **setup;    /* words of a command before the first call of a process; or none */
    size_t setup_count;
    const char **cleanup; /* likewise, after the last */
    size_t cleanup_count;
    double *exit_codes; /* that are no failure; none: 0 */
    size_t exit_code_count;
    struct kg_output_figure *figures; /* read from its output after the last call of a process */
    size_t figure_count;
};

/* Where they stand in the suite. */
struct kg_command_marks {
    struct kg_mark format, environment, directory, input, setup, cleanup, figures;
};

struct kg_workload_spec {
    const char *name; /* unique in the suite */
    struct kg_mark mark;
    enum kg_source source;
    const char *target; /* a name, a file's path or the command's first word, as kg_target has it */
    struct kg_mark target_mark;
    const char *entry; /* KG_TARGET_FILE, _CODE: what in it is meant, by default `name`; or NULL */
    bool entry_given;  /* it is not the default */
    const char **command; /* KG_TARGET_WORDS: all of them, with {parameter} unexpanded; else NULL */
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
    const char *skip_reason; /* why its program cannot say which benchmarks it has; NULL: it can */
    const char *reference;   /* its version that others are compared with, "yes" for all; or NULL */
    struct kg_settings settings; /* defaults with this workload's own on top */
};

struct kg_suite {
    struct kg_arena arena; /* owns everything below */
    const char *path;      /* as given */
    const char *name;      /* `suite:`; by default the file's name without its ending */
    struct kg_policy policy;
    struct kg_settings defaults;
    struct kg_suggest_settings suggest;
    struct kg_workload_spec *workloads;
    size_t workload_count;
};

/* How many times as fast as its case on the CPU a case on the GPU is. */
#define KG_SPEEDUP_OVER_CPU "speedup_over_cpu"

/* Reads a suite.
 * path       a file; "-" for standard input
 * overrides  `count` texts "key=value" that replace keys of `defaults`, or with "policy." or
 *            "suggest." in front keys of those, before workloads inherit from it ("rounds.min=3")
 * suite      filled on success, to be freed with kg_suite_free; zeroed on failure
 * err        on failure: KG_ERROR_USAGE with line and column, or KG_ERROR_SYSTEM
 * Limits: 16 MiB a file, 64 KiB a scalar, 32 levels, 1,000,000 nodes with aliases followed. */
bool kg_suite_load(const char *path, const char *const *overrides, size_t count,
                   struct kg_suite *suite, struct kg_error *err);

/* The same from memory; `path` is what errors say. */
bool kg_suite_parse(const char *path, const char *bytes, size_t length,
                    const char *const *overrides, size_t count, struct kg_suite *suite,
                    struct kg_error *err);

void kg_suite_free(struct kg_suite *suite);
