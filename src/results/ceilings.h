/* ceilings.h: what a GPU was measured to be capable of, by kgate itself. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/nvml.h"
#include "util/arena.h"
#include "util/error.h"
#include "util/record.h"

/* The instructions that tensor cores can be measured by. On compute capability 9.0 the first alone
 * supplies them in full. */
#define KG_TENSOR_BY_WGMMA "wgmma"
#define KG_TENSOR_BY_MMA "mma.sync"

/* NaN where not measured. */
struct kg_ceilings {
    double copy_bytes_per_s;   /* device to device, reads and writes both counted */
    double read_bytes_per_s;   /* reads alone */
    double fma_flops_per_s;    /* single-precision multiply-adds, two each */
    double tensor_flops_per_s; /* bf16 products summed in single precision, by the tensor cores */
    double launch_ns;          /* from one empty kernel's begin to the next's, back to back */
    double sm_clock_hz;        /* while the multiply-adds ran */
    const char *tensor_by; /* which instruction its figure is of, KG_TENSOR_BY_; NULL without one */
    const char *uuid;      /* of the GPU; NULL where nothing was measured */
    const char *measured;  /* UTC, "2026-01-31T12:00:00Z" */
    const char *reason;    /* why figures are missing; NULL where none is */
    const char *note;      /* why they are good for this run alone, and not kept: the device was
                              held back, or shared, or wgmma wrong; else NULL */
};

/* Needs <math.h>. */
#define KG_CEILINGS_NONE                                                                           \
    {                                                                                              \
        .copy_bytes_per_s = NAN, .read_bytes_per_s = NAN, .fma_flops_per_s = NAN,                  \
        .tensor_flops_per_s = NAN, .launch_ns = NAN, .sm_clock_hz = NAN                            \
    }

extern const struct kg_record kg_ceilings_record;

/* Whether every figure that is known is one that a GPU could have: above 0, and not beyond all
 * hardware by orders of magnitude. Of what a file says; none known is good. Pure. */
bool kg_ceilings_good(const struct kg_ceilings *ceilings);

/* Whether what was stored is to be used again: not 30 days old, nor of the future, and not of
 * another clock than the device now goes at: locked clocks (`nvidia-smi -lgc`) and a lower power
 * limit are in no attribute that kgate could compare.
 * now_s     seconds since 1970, UTC
 * clock_hz  the highest that this run saw; NaN where it saw none. What is within a quarter of that
 *           while the multiply-adds ran is the same: work differs in the clock that it gets. Pure.
 */
bool kg_ceilings_current(const struct kg_ceilings *ceilings, int64_t now_s, double clock_hz);

/* Whether a time, "2026-01-31T12:00:00Z", is not more than age_s before now_s, nor of the future.
 * Pure. */
bool kg_ceilings_recent(const char *measured, int64_t now_s, int64_t age_s);

/* --- Measuring: ceilings_measure.c --- */

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
 * work, and the figures are what the card can do under it. In `arena`; NULL where nothing does, or
 * memory is out. */
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

/* The sum, modulo 2^32, of the words that kg_ceiling_fill writes (device/code/ceilings.h). Pure. */
uint32_t kg_ceiling_words_sum(uint64_t count);

/* --- What was measured before: ceilings_cache.c --- */

#define KG_CEILINGS_SCHEMA "kgate.ceilings.v1"

/* What ceilings hold for. */
struct kg_ceilings_key {
    const char *uuid;      /* of the GPU */
    const char *driver;    /* its version */
    double clock_limit_hz; /* the highest that its clock may go now; NaN where not known */
};

/* Where they are kept: $XDG_CACHE_HOME/kgate, else ~/.cache/kgate; in `arena`. NULL where the
 * environment names neither by an absolute path, or memory is out. */
const char *kg_ceilings_directory(struct kg_arena *arena);

/* What was stored for the key by a kgate that measures as this one does; strings in `arena`. false
 * where there is none, or it cannot be read, or makes no sense: then it is measured anew. */
bool kg_ceilings_cached(const char *directory, const struct kg_ceilings_key *key,
                        struct kg_arena *arena, struct kg_ceilings *ceilings);

/* Stores them, replacing what was there for that GPU in one step, in a folder that is made where it
 * is missing. A failure is none of measuring: it will be measured anew. */
bool kg_ceilings_store(const char *directory, const struct kg_ceilings_key *key,
                       const struct kg_ceilings *ceilings, struct kg_error *err);
