/* ceilings.h: what a GPU was measured to be capable of, by kgate itself. */
#pragma once
#include "util/record.h"

/* NaN where not measured. */
struct kg_ceilings {
    double copy_bytes_per_s;   /* device to device, reads and writes both counted */
    double read_bytes_per_s;   /* reads alone */
    double fma_flops_per_s;    /* single-precision multiply-adds, two each */
    double tensor_flops_per_s; /* bf16 products summed in single precision, by the tensor cores */
    double launch_ns;          /* from one empty kernel's begin to the next's, back to back */
    const char *uuid;          /* of the GPU; NULL where nothing was measured */
    const char *measured;      /* UTC, "2026-01-31T12:00:00Z" */
};

/* Needs <math.h>. */
#define KG_CEILINGS_NONE                                                                           \
    {                                                                                              \
        .copy_bytes_per_s = NAN, .read_bytes_per_s = NAN, .fma_flops_per_s = NAN,                  \
        .tensor_flops_per_s = NAN, .launch_ns = NAN                                                \
    }

extern const struct kg_record kg_ceilings_record;
