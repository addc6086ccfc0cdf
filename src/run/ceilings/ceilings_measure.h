/* ceilings_measure.h: measures the peaks ("ceilings") of this machine's GPU and CPU, and stores them.
 * model/ceilings.h and model/cpu_ceilings.h define the structs. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "device/nvml.h"
#include "model/ceilings.h"
#include "model/cpu_ceilings.h"

/* --- Measuring the GPU: ceilings_measure.c --- */

struct kg_gpu_timer;

/* Reads the device's throttling and its other processes; `read` NULL: unknown. */
struct kg_ceilings_watch {
    bool (*read)(void *state, struct kg_nvml_telemetry *telemetry);
    void *state;
};

/* Summary of all answers. Zeroed before the first. */
struct kg_ceilings_seen {
    int64_t throttle; /* KG_NVML_ bits */
    int others;       /* greatest number of other processes at a time */
};

/* Adds one answer. Pure. */
void kg_ceilings_see(struct kg_ceilings_seen *seen, const struct kg_nvml_telemetry *telemetry);

/* The reason why the figures are valid for one run only: other processes, or throttling. The power
 * limit is no such reason, because it belongs to the card. Large cards reach it whenever the tensor
 * cores have work, so the figures include its effect. In `arena`; NULL without a reason. */
const char *kg_ceilings_seen_words(const struct kg_ceilings_seen *seen, struct kg_arena *arena);

/* Measures the GPU of an open timer, in about two seconds; first thread only. kgate checks the
 * kernels' results before it accepts their times, and takes the best of several samples.
 * watch     read before and after each part
 * ceilings  filled as far as possible: `measured` and `note` in `arena`; the caller sets uuid
 * returns   false if a part could not be measured: err says why, and the other parts are filled */
bool kg_ceilings_measure(struct kg_gpu_timer *timer, const struct kg_ceilings_watch *watch,
                         struct kg_arena *arena, struct kg_ceilings *ceilings,
                         struct kg_error *err);

/* `amount` in time_ns as a rate per second; NaN unless both are positive and finite. Pure. */
double kg_ceiling_rate(double amount, double time_ns);

/* Size of each of two buffers for which the L2 cache is no help. It is 1 GiB, or sixteen times the
 * cache if that is more; at most a quarter of the free memory. A multiple of 1 MiB. 0 if it would be
 * less than four times the cache. Pure. */
size_t kg_ceiling_buffer_bytes(size_t l2_bytes, size_t free_bytes);

/* The sum, modulo 2^32, of the words that kg_ceiling_fill writes (device/code/ceilings_code.h). Pure. */
uint32_t kg_ceiling_words_sum(uint64_t count);

/* --- The stored ceilings of a GPU: ceilings_cache.c --- */

#define KG_CEILINGS_SCHEMA "kgate.ceilings.v1"
extern const struct kg_record kg_ceilings_file_record;

/* The conditions under which stored ceilings are valid. */
struct kg_ceilings_key {
    const char *uuid;      /* the GPU's */
    const char *driver;    /* version of the driver */
    double clock_limit_hz; /* present upper limit of its clock; NaN: not known */
};

/* The folder of stored ceilings: $XDG_CACHE_HOME/kgate, else ~/.cache/kgate; in `arena`. NULL if the
 * environment gives no absolute path. */
const char *kg_ceilings_directory(struct kg_arena *arena);

/* Loads the stored ceilings of the key; strings in `arena`. false without usable ceilings: the file
 * may be missing, unreadable, implausible, or made by other kernels. The caller then measures. */
bool kg_ceilings_cached(const char *directory, const struct kg_ceilings_key *key,
                        struct kg_arena *arena, struct kg_ceilings *ceilings);

/* Stores ceilings. One atomic step replaces older ceilings of that GPU. Makes the folder if it is
 * missing. A failure only means that the next run measures again. */
bool kg_ceilings_store(const char *directory, const struct kg_ceilings_key *key,
                       const struct kg_ceilings *ceilings, struct kg_error *err);

/* --- Measuring the CPU: cpu/, a plugin of kgate's own, and cpu_ceilings_plugin.c --- */

/* Loads the plugin kgate-kernels/ceilings.so and calls its kg_cpu_ceilings_measure.
 * returns  false also if there is no such plugin */
bool kg_cpu_ceilings_load_measure(struct kg_arena *arena, struct kg_cpu_ceilings *ceilings,
                                  struct kg_error *err);

/* Measures the CPUs that this process may use, in about a second: one thread of OpenMP on each. kgate
 * checks the threads' results before it accepts their times, and takes the best of several short
 * samples. To be called in a process of its own: the threads stay.
 * ceilings  filled as far as possible; `measured` in `arena`, `reason` NULL, `note` a constant
 * returns   false if a part could not be measured: err says why, and the other parts are filled */
bool kg_cpu_ceilings_measure(struct kg_arena *arena, struct kg_cpu_ceilings *ceilings,
                             struct kg_error *err);

/* --- The stored ceilings of CPUs: cpu_ceilings_cache.c --- */

#define KG_CPU_CEILINGS_SCHEMA "kgate.cpu_ceilings.v1"
extern const struct kg_record kg_cpu_ceilings_file_record;

/* The conditions under which stored ceilings are valid. */
struct kg_cpu_ceilings_key {
    const char *fingerprint; /* the machine's */
    uint64_t cpu_count;      /* number of CPUs that the process may use */
    const char *cpus;        /* these CPUs: "0-3,8" */
    const char *vectors;     /* widest vectors that kernels may use; NULL: not known */
    double quota_cpus;       /* number of CPUs whose time a control group allows; NaN: no limit */
};

/* The readings of the speed probe in the run that measured the ceilings; NaN without readings. */
struct kg_cpu_pace {
    double pulse_ns;
    double bandwidth_bytes_per_s;
};

/* Whether the machine has kept its speed: neither reading differs by more than a quarter. A reading
 * that is unknown now counts as unchanged. One that became known counts as changed. Pure. */
bool kg_cpu_pace_same(const struct kg_cpu_pace *then, const struct kg_cpu_pace *now);

/* Loads the stored ceilings of the key; strings in `arena`. They must be at most 7 days old, or an
 * hour if they have a note. The machine must have had the same speed. false otherwise, and if the
 * file is missing, unreadable, implausible, or of another method. The caller then measures.
 * now_s  seconds since 1970, UTC */
bool kg_cpu_ceilings_cached(const char *directory, const struct kg_cpu_ceilings_key *key,
                            const struct kg_cpu_pace *pace, int64_t now_s, struct kg_arena *arena,
                            struct kg_cpu_ceilings *ceilings);

/* Stores ceilings. One atomic step replaces older ceilings of that machine and number of CPUs. Makes the
 * folder if it is missing. A failure only means that the next run measures again. */
bool kg_cpu_ceilings_store(const char *directory, const struct kg_cpu_ceilings_key *key,
                           const struct kg_cpu_pace *pace, const struct kg_cpu_ceilings *ceilings,
                           struct kg_error *err);
