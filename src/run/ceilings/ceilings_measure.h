/* ceilings_measure.h: measures what the GPU and the CPU of this machine are capable of, and keeps what was
 * measured. The structs are those of model/ceilings.h and model/cpu_ceilings.h. */
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

/* How the device is asked what holds it back and who else is on it; `read` NULL: it is not. */
struct kg_ceilings_watch {
    bool (*read)(void *state, struct kg_nvml_telemetry *telemetry);
    void *state;
};

/* What was seen in all the times that it was asked. Zeroed before the first. */
struct kg_ceilings_seen {
    int64_t throttle; /* KG_NVML_ bits */
    int others;       /* the most at once */
};

/* Adds one answer. Pure. */
void kg_ceilings_see(struct kg_ceilings_seen *seen, const struct kg_nvml_telemetry *telemetry);

/* What of it makes figures good for one run alone: other processes, and whatever holds clocks back
 * but the power limit: that is the card's own, large ones reach it whenever the tensor cores have
 * work, and the figures are what the card can do under it. In `arena`; NULL where nothing does. */
const char *kg_ceilings_seen_words(const struct kg_ceilings_seen *seen, struct kg_arena *arena);

/* Measures the GPU of an open timer, in about two seconds; first thread only. What the kernels did
 * is checked before their times are believed; the best of several samples counts.
 * watch     asked before and after each part
 * ceilings  filled as far as it goes: `measured` and `note` in `arena`, uuid NULL, which the caller
 *           knows
 * returns   false where something could not be measured: err says why, and the rest is there */
bool kg_ceilings_measure(struct kg_gpu_timer *timer, const struct kg_ceilings_watch *watch,
                         struct kg_arena *arena, struct kg_ceilings *ceilings,
                         struct kg_error *err);

/* `amount` in time_ns as a rate a second; NaN unless both are positive and finite. Pure. */
double kg_ceiling_rate(double amount, double time_ns);

/* How large each of two buffers must be for the L2 cache to be no help: 512 MiB, or eight times the
 * cache where that is more; a quarter of what is free where that is less. A multiple of 1 MiB; 0
 * where it would be less than four times the cache. Pure. */
size_t kg_ceiling_buffer_bytes(size_t l2_bytes, size_t free_bytes);

/* The sum, modulo 2^32, of the words that kg_ceiling_fill writes (device/code/ceilings_code.h). Pure. */
uint32_t kg_ceiling_words_sum(uint64_t count);

/* --- What was measured of a GPU before: ceilings_cache.c --- */

#define KG_CEILINGS_SCHEMA "kgate.ceilings.v1"
extern const struct kg_record kg_ceilings_file_record;

/* What ceilings hold for. */
struct kg_ceilings_key {
    const char *uuid;      /* of the GPU */
    const char *driver;    /* its version */
    double clock_limit_hz; /* the highest that its clock may go now; NaN where not known */
};

/* Where they are kept: $XDG_CACHE_HOME/kgate, else ~/.cache/kgate; in `arena`. NULL where the
 * environment names neither by an absolute path. */
const char *kg_ceilings_directory(struct kg_arena *arena);

/* What was stored for the key by a kgate that measures as this one does; strings in `arena`. false
 * where there is none, or it cannot be read, or makes no sense: then it is measured anew. */
bool kg_ceilings_cached(const char *directory, const struct kg_ceilings_key *key,
                        struct kg_arena *arena, struct kg_ceilings *ceilings);

/* Stores them, replacing what was there for that GPU in one step, in a folder that is made where it
 * is missing. A failure is none of measuring: it will be measured anew. */
bool kg_ceilings_store(const char *directory, const struct kg_ceilings_key *key,
                       const struct kg_ceilings *ceilings, struct kg_error *err);

/* --- Measuring the CPU: cpu/, a plugin of kgate's own, and cpu_ceilings_plugin.c --- */

/* Loads the plugin kgate-kernels/ceilings.so and calls its kg_cpu_ceilings_measure.
 * returns  false also if there is no such plugin */
bool kg_cpu_ceilings_load_measure(struct kg_arena *arena, struct kg_cpu_ceilings *ceilings,
                                  struct kg_error *err);

/* Measures the CPUs that this process may use, in about a second: one thread of OpenMP on each.
 * What they computed is checked before their times are believed; the best of several short samples
 * counts. To be called in a process of its own: the threads stay.
 * ceilings  filled as far as it goes; `measured` in `arena`, `reason` NULL, `note` a constant
 * returns   false where something could not be measured: err says why, and the rest is there */
bool kg_cpu_ceilings_measure(struct kg_arena *arena, struct kg_cpu_ceilings *ceilings,
                             struct kg_error *err);

/* --- What was measured of CPUs before: cpu_ceilings_cache.c --- */

#define KG_CPU_CEILINGS_SCHEMA "kgate.cpu_ceilings.v1"
extern const struct kg_record kg_cpu_ceilings_file_record;

/* What ceilings hold for. */
struct kg_cpu_ceilings_key {
    const char *fingerprint; /* of the machine */
    uint64_t cpu_count;      /* CPUs that the process may use, */
    const char *cpus;        /* and which: "0-3,8" */
    const char *vectors;     /* the widest that kernels may use; NULL where not known */
    double quota_cpus;       /* CPUs' worth of time that a control group allows; NaN without one */
};

/* What the probe read in the run that measured them; NaN where it did not. */
struct kg_cpu_pace {
    double pulse_ns;
    double bandwidth_bytes_per_s;
};

/* Whether this process's machine is as it was: neither figure is off by more than a quarter. What
 * A figure that is not known now counts as unchanged; one that became known counts as changed. Pure. */
bool kg_cpu_pace_same(const struct kg_cpu_pace *then, const struct kg_cpu_pace *now);

/* What was stored for the key by a kgate that measures as this one does, not more than 7 days ago,
 * or, with a note, an hour, when the machine had the same pace; strings in `arena`. false where
 * there is none, or it cannot be read, or makes no sense: then it is measured anew.
 * now_s  seconds since 1970, UTC */
bool kg_cpu_ceilings_cached(const char *directory, const struct kg_cpu_ceilings_key *key,
                            const struct kg_cpu_pace *pace, int64_t now_s, struct kg_arena *arena,
                            struct kg_cpu_ceilings *ceilings);

/* Stores them, replacing what was there for that machine and number of CPUs in one step, in a
 * folder that is made where it is missing. A failure is none of measuring: it will be measured
 * anew. */
bool kg_cpu_ceilings_store(const char *directory, const struct kg_cpu_ceilings_key *key,
                           const struct kg_cpu_pace *pace, const struct kg_cpu_ceilings *ceilings,
                           struct kg_error *err);
