/* baseline.h: the stored runs of a machine, one JSON file per machine fingerprint:
 * DIR/<fingerprint>.json, kgate.baseline.v1. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/results.h"
#include "model/stored_prior.h"
#include "model/traits.h"
#include "model/waivers.h"

#define KG_BASELINE_SCHEMA "kgate.baseline.v1"

/* The values of one metric of a stored case, from judged rounds. */
struct kg_baseline_series {
    const char *name;   /* as in struct kg_series, or a KG_SERIES_ name below */
    const char *source; /* values of different sources are not compared */
    double *values;
    size_t value_count;
};

/* Series of the source "rounds" without a metric of that name, in ns: the clock probe's time in
 * each round, the mean of its samples, and the CPU time per call. */
#define KG_SERIES_PULSE "pulse"
#define KG_SERIES_MEAN "mean_time"
#define KG_SERIES_CALL_CPU "call_cpu_time"
/* GPU only: the memory clock of each round in Hz, and its power in W. */
#define KG_SERIES_MEMORY_CLOCK "memory_clock"
#define KG_SERIES_POWER "power"
/* In ns, for the baseline side of paired rounds on a machine that was too busy: kg_round_least_ns
 * of each round. */
#define KG_SERIES_LEAST "least_time"

/* One case of a stored run, as far as a comparison needs it. */
struct kg_baseline_case {
    const char *id;
    const char *definition_hash;
    struct kg_code_identity code; /* without a hash if unknown */
    const char *build; /* hash of the measured file, by which builds.h may keep it; NULL: unknown */
    const char *accepted; /* `since` of the accepted change that begins its history, or NULL */
    uint64_t batch;       /* calls per sample of its rounds; 0: unknown */
    double round_ns;      /* measured time of its rounds; 0: the suite's min_time */
    struct kg_baseline_series *series;
    size_t series_count;
    double *traits; /* by the run's trait_names; a missing end is unknown */
    size_t trait_count;
    struct kg_sampled sampled; /* functions and sites alone; like traits, in the newest run only */
    struct kg_system_calls system_calls; /* in the newest run only; no source: not counted */
};

/* One stored run. Several suites share a file; runs of other suites are never touched. */
struct kg_baseline_run {
    const char *created;
    const char *suite;
    const char *commit; /* as in struct kg_results, like branch */
    const char *branch;
    const char *pin; /* its name; NULL: an ordinary run, one of the last N */
    const char *kgate_version;
    const char *kernel; /* facts beside the fingerprint, for the report */
    const char *governor;
    const char *vectors;
    const char *compiler;
    const char *nvidia_driver;
    const char *cuda_driver;
    const char *cuda_toolkit;
    const char *gpu_ecc; /* of the chosen GPU, as in struct kg_gpu */
    const char *gpu_mig;
    double gpu_sm_clock_hz;
    double gpu_memory_clock_hz;
    struct kg_environment environment; /* the caller's, for the workloads */
    /* baseline side of an `ab`: as in struct kg_results; else NULL */
    const char *pair;
    double pulse_ns; /* medians of the probe's readings; NaN: no readings */
    double bandwidth_bytes_per_s;
    double latency_ns;
    /* names of the cases' traits; among ordinary runs only a suite's newest has them */
    const char **trait_names;
    size_t trait_name_count;
    struct kg_baseline_case *cases; /* cases of status OK */
    size_t case_count;
};

struct kg_baseline {
    struct kg_arena arena; /* owns everything below */
    const char *fingerprint;
    struct kg_machine machine;    /* of the newest run */
    struct kg_baseline_run *runs; /* oldest first */
    size_t run_count;
    /* the suite must be in it: the user named the file, or the gate records nothing */
    bool expected;
    bool records; /* a gate adds missing cases */
    /* noise of the cases by a history, or NULL; in the arena, but not in the file */
    const struct kg_stored_prior *prior;
    /* a sentence about the missing baseline (kg_store_missing), or NULL; not in the arena */
    const char *missing;
};

extern const struct kg_record kg_baseline_record;

/* Results as a baseline of one run, for `compare BASE CURRENT`. The baseline borrows the results'
 * strings: free it first. On the baseline side of paired rounds, it also has the cases for which
 * the machine was too busy. These keep all of their rounds. */
void kg_baseline_from_results(const struct kg_results *results, struct kg_baseline *baseline);

/* Results as a run that borrows their strings; arrays in `arena`. */
void kg_baseline_run_make(struct kg_arena *arena, const struct kg_results *results,
                          struct kg_baseline_run *run);

/* The case's series of that name and source; NULL without such a series with values. */
const struct kg_baseline_series *kg_baseline_series_find(const struct kg_baseline_case *stored,
                                                         const char *name, const char *source);

/* Number of the run's cases with other machine code, or other libraries, than in the suite's run
 * before. Cases that are new or of unknown code do not count. */
size_t kg_baseline_code_changes(const struct kg_baseline *baseline, size_t run);

/* Number of rounds of a stored case: of the values of its time. */
size_t kg_baseline_rounds(const struct kg_baseline_case *stored);

/* Reads the stored features of one of the run's cases into `traits`. Unknown names are ignored;
 * missing features are NaN. */
void kg_baseline_traits(const struct kg_baseline_run *run, const struct kg_baseline_case *stored,
                        struct kg_traits *traits);

/* The store's file for a machine: DIR/<fingerprint>.json, in `arena`. */
char *kg_baseline_path(struct kg_arena *arena, const char *directory, const char *fingerprint);

/* Reads a file of the store. If the file is missing: an empty baseline and true. Refuses duplicate
 * pins and case ids, non-positive medians, negative traits. */
bool kg_baseline_load(const char *path, struct kg_baseline *baseline, struct kg_error *err);
/* The same from memory; errors name `path`. */
bool kg_baseline_parse(const char *path, const char *bytes, size_t length,
                       struct kg_baseline *baseline, struct kg_error *err);
void kg_baseline_free(struct kg_baseline *baseline);

/* Checks the rules of kg_baseline_load beyond the types and ranges of fields. */
bool kg_baseline_validate(const struct kg_baseline *baseline, struct kg_error *err);
