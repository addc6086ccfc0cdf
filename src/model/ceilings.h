/* ceilings.h: what a GPU was measured to be capable of, by kgate itself. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/record.h"
#include "device/nvml.h"

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
 *           while the multiply-adds ran is the same: work differs in the clock that it gets
 * Pure. */
bool kg_ceilings_current(const struct kg_ceilings *ceilings, int64_t now_s, double clock_hz);

/* Whether a time, "2026-01-31T12:00:00Z", is not more than age_s before now_s, nor of the future.
 * Pure. */
bool kg_ceilings_recent(const char *measured, int64_t now_s, int64_t age_s);
