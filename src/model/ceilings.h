/* ceilings.h: a GPU's peaks, as kgate measured them. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/record.h"
#include "device/nvml.h"

/* Instructions for measuring tensor cores. On compute capability 9.0 only the first reaches their
 * full rate. */
#define KG_TENSOR_BY_WGMMA "wgmma"
#define KG_TENSOR_BY_MMA "mma.sync"

/* NaN: not measured. */
struct kg_ceilings {
    double copy_bytes_per_s;   /* device to device, reads and writes both counted */
    double read_bytes_per_s;   /* reads alone */
    double fma_flops_per_s;    /* single-precision multiply-adds, two each */
    double tensor_flops_per_s; /* bf16 products summed in single precision, by the tensor cores */
    double tensor_clock_hz;    /* during the fastest of these products */
    double launch_ns;          /* from one empty kernel's start to the next one's, back to back */
    double sm_clock_hz;        /* during the multiply-adds */
    /* instruction of the tensor cores' peak, KG_TENSOR_BY_; NULL: no such peak */
    const char *tensor_by;
    const char *uuid;     /* of the GPU; NULL: nothing was measured */
    const char *measured; /* UTC, "2026-01-31T12:00:00Z" */
    const char *reason;   /* why numbers are missing; NULL: none is */
    /* why the numbers are for this run alone, and not kept: a throttled or shared device, or
     * wrong results of wgmma; else NULL */
    const char *note;
};

/* Needs <math.h>. */
#define KG_CEILINGS_NONE                                                                           \
    {                                                                                              \
        .copy_bytes_per_s = NAN, .read_bytes_per_s = NAN, .fma_flops_per_s = NAN,                  \
        .tensor_flops_per_s = NAN, .tensor_clock_hz = NAN, .launch_ns = NAN, .sm_clock_hz = NAN    \
    }

extern const struct kg_record kg_ceilings_record;

/* Whether every known number is possible for a GPU: above 0, and not beyond all hardware by orders
 * of magnitude. For numbers from a file; true if none is known. Pure. */
bool kg_ceilings_good(const struct kg_ceilings *ceilings);

/* Whether kgate may use stored peaks again. They must be at most 30 days old, not from the future,
 * and measured at the device's present clock. Attributes show neither locked clocks (`nvidia-smi
 * -lgc`) nor a lower power limit, so kgate compares the clock itself.
 * now_s     seconds since 1970, UTC
 * clock_hz  highest clock of this run; NaN: none known. A clock within a quarter of the stored one
 *           counts as equal, since different work gets different clocks
 * Pure. */
bool kg_ceilings_current(const struct kg_ceilings *ceilings, int64_t now_s, double clock_hz);

/* Whether a time, "2026-01-31T12:00:00Z", is at most age_s before now_s, and not in the future.
 * Pure. */
bool kg_ceilings_recent(const char *measured, int64_t now_s, int64_t age_s);
