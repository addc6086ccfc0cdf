/* ceilings_parts.h: what the parts of measuring a GPU's ceilings share. Within ceilings_*.c. */
#pragma once
#include "run/ceilings/ceilings_measure.h"
#include "run/timing/gpu_timer.h"

struct kg_measuring {
    struct kg_gpu_timer *timer;
    struct kg_arena *arena;
    void *module;
    struct kg_ceilings *ceilings;
    uint64_t source, target, notes; /* device memory; 0: none */
    size_t bytes;                   /* of source and target each */
    const char *doubt;              /* what makes the figures good for one run alone; else NULL */
};

/* A kernel with its launch. */
struct kg_ceiling_launch {
    struct kg_gpu_timer *timer;
    void *function; /* NULL: the timer's empty kernel */
    unsigned blocks;
    unsigned shared_bytes;
    void *parameters[4];
    struct kg_error err; /* of the first that failed */
    bool failed;
};

/* --- ceilings_launch.c --- */

/* The kernel `name`, in as many blocks as are on the device together where `blocks` is 0. */
bool kg_ceiling_find(const struct kg_measuring *measuring, const char *name, size_t blocks,
                     unsigned shared_bytes, struct kg_ceiling_launch *launch, struct kg_error *err);
/* Launches it, and waits for its end. */
bool kg_ceiling_once(struct kg_ceiling_launch *launch, struct kg_error *err);
/* The shortest time of a launch, of samples of `batch`; the clock is that of the same sample. */
bool kg_ceiling_best(struct kg_ceiling_launch *launch, uint64_t batch, double *best_ns,
                     double *clock_hz, struct kg_error *err);

/* --- The parts: each fills its figures, or says why it cannot --- */

bool kg_ceiling_memory(struct kg_measuring *measuring, struct kg_error *err); /* _memory.c */
bool kg_ceiling_fma(struct kg_measuring *measuring, struct kg_error *err);    /* _arithmetic.c */
bool kg_ceiling_tensor(struct kg_measuring *measuring, struct kg_error *err);
/* The tensor cores by wgmma, where the device and the program have it; after kg_ceiling_tensor,
 * whose figure stays where this one is not higher, or what was computed is wrong: that makes a
 * doubt. */
bool kg_ceiling_wgmma(struct kg_measuring *measuring, struct kg_error *err);
