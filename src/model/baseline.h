/* baseline.h: the stored runs of a machine, one JSON file per machine fingerprint:
 * DIR/<fingerprint>.json, kgate.baseline.v1. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/results.h"
#include "model/traits.h"
#include "model/waivers.h"

#define KG_BASELINE_SCHEMA "kgate.baseline.v1"

/* The values of one metric of a stored case, those of judged rounds. */
struct kg_baseline_series {
    const char *name;   /* as in struct kg_series, or one of those below */
    const char *source; /* values of different sources are not compared */
    double *values;
    size_t value_count;
};

/* Series of the source "rounds" that no metric is called as: the core's pace in each round, the mean
 * of its samples, and the CPU time of a call, in ns. */
#define KG_SERIES_PULSE "pulse"
#define KG_SERIES_MEAN "mean_time"
#define KG_SERIES_CALL_CPU "call_cpu_time"
/* In ns, of the base of pairs on a machine that was too busy: kg_round_least_ns of each round. */
#define KG_SERIES_LEAST "least_time"

/* One case of a stored run: what a comparison needs of it. */
struct kg_baseline_case {
    const char *id;
    const char *definition_hash;
    struct kg_code_identity code; /* without a hash where not known */
    const char *build; /* hash of the file that it was measured with, which builds.h may have;
                              NULL where not known */
    const char
        *accepted;   /* `since` of the accepted change that its history begins with: only stored
                             cases of the same are compared with; NULL: none */
    uint64_t batch;  /* calls a sample, of its rounds; 0 where not known */
    double round_ns; /* measured time of its rounds; 0: the suite's min_time */
    struct kg_baseline_series *series;
    size_t series_count;
    double *traits; /* by the run's trait_names; those left out at the end are not known */
    size_t trait_count;
    struct kg_sampled sampled; /* functions and sites alone; of the newest run, as traits are */
    struct kg_system_calls system_calls; /* of the newest run; without a source if not counted */
};

/* One stored run. Several suites share a file; runs of other suites are never touched. */
struct kg_baseline_run {
    const char *created;
    const char *suite;
    const char *commit; /* as struct kg_results has it, and the next */
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
    const char *gpu_ecc; /* of the GPU that was chosen, as struct kg_gpu has it */
    const char *gpu_mig;
    double gpu_sm_clock_hz;
    double gpu_memory_clock_hz;
    struct kg_environment environment; /* the caller's, of the workloads */
    const char *pair;                  /* of an `ab`'s base side; else NULL */
    double pulse_ns; /* medians of the probe's readings; NaN where there are none */
    double bandwidth_bytes_per_s;
    double latency_ns;
    const char **trait_names; /* of the cases' traits; none in ordinary runs but a suite's newest */
    size_t trait_name_count;
    struct kg_baseline_case *cases; /* those of status OK */
    size_t case_count;
};

struct kg_baseline {
    struct kg_arena arena; /* owns everything below */
    const char *fingerprint;
    struct kg_machine machine;    /* of the newest run */
    struct kg_baseline_run *runs; /* oldest first */
    size_t run_count;
    bool expected; /* to have the suite: a file that a user named, or a gate that records nothing */
    bool records;  /* a gate adds the cases that it lacks */
    const char *missing; /* what was looked for and is not there, as kg_store_missing says it; or
                            NULL. Its maker's, not the arena's */
};

extern const struct kg_record kg_baseline_record;

/* Results as a baseline of one run, which borrows their strings: free it first. For
 * `compare BASE CURRENT`. The base of pairs also has the cases that the machine was too busy for, with
 * all of their rounds. */
void kg_baseline_from_results(const struct kg_results *results, struct kg_baseline *baseline);

/* Results as a run that borrows their strings; arrays in `arena`. */
void kg_baseline_run_make(struct kg_arena *arena, const struct kg_results *results,
                          struct kg_baseline_run *run);

/* The case's series of that name and source; NULL where it has none with values. */
const struct kg_baseline_series *kg_baseline_series_find(const struct kg_baseline_case *stored,
                                                         const char *name, const char *source);

/* How many cases of the run were measured with other machine code, or other libraries, than in the
 * suite's run before it. Cases that the run before does not have, or whose code is not known, do not count. */
size_t kg_baseline_code_changes(const struct kg_baseline *baseline, size_t run);

/* How many rounds it has: the values of its time. */
size_t kg_baseline_rounds(const struct kg_baseline_case *stored);

/* The traits that the run has of one of its cases. Names that this kgate does not know are left
 * aside; what the run does not have is NaN. */
void kg_baseline_traits(const struct kg_baseline_run *run, const struct kg_baseline_case *stored,
                        struct kg_traits *traits);

/* The store's file for a machine: DIR/<fingerprint>.json, in `arena`. */
char *kg_baseline_path(struct kg_arena *arena, const char *directory, const char *fingerprint);

/* Reads a file of the store; a file that is not there gives an empty baseline and true.
 * Refuses duplicate pins and case ids, non-positive medians, negative traits. */
bool kg_baseline_load(const char *path, struct kg_baseline *baseline, struct kg_error *err);
/* The same from memory; `path` is what errors say. */
bool kg_baseline_parse(const char *path, const char *bytes, size_t length,
                       struct kg_baseline *baseline, struct kg_error *err);
void kg_baseline_free(struct kg_baseline *baseline);

/* Whether it can be: what kg_baseline_load refuses beyond the types and ranges of fields. */
bool kg_baseline_validate(const struct kg_baseline *baseline, struct kg_error *err);
