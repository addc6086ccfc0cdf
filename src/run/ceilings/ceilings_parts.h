/* ceilings_parts.h: the shared state of the parts that measure a GPU's ceilings. For ceilings_*.c. */
#pragma once
#include "run/ceilings/ceilings_measure.h"
#include "run/timing/gpu_timer.h"

struct kg_measuring {
    struct kg_gpu_timer *timer;
    struct kg_arena *arena;
    void *module;
    struct kg_ceilings *ceilings;
    uint64_t source, target, notes; /* device memory; 0: none */
    size_t bytes;                   /* size of each of source and target */
    const char *doubt;              /* reason why the figures are valid for one run only; or NULL */
};

/* A kernel with its launch. */
struct kg_ceiling_launch {
    struct kg_gpu_timer *timer;
    void *function; /* NULL: the timer's empty kernel */
    unsigned blocks;
    unsigned shared_bytes;
    void *parameters[4];
    struct kg_error err; /* first failure */
    bool failed;
};

/* --- ceilings_launch.c --- */

/* Finds the kernel `name`. blocks 0: as many blocks as run on the device together. */
bool kg_ceiling_find(const struct kg_measuring *measuring, const char *name, size_t blocks,
                     unsigned shared_bytes, struct kg_ceiling_launch *launch, struct kg_error *err);
/* Launches the kernel, and waits for its end. */
bool kg_ceiling_once(struct kg_ceiling_launch *launch, struct kg_error *err);
/* The shortest time per launch, of several samples of `batch` launches, and the clock of this sample. */
bool kg_ceiling_best(struct kg_ceiling_launch *launch, uint64_t batch, double *best_ns,
                     double *clock_hz, struct kg_error *err);

/* --- The parts: each fills its figures, or says why it cannot --- */

bool kg_ceiling_memory(struct kg_measuring *measuring, struct kg_error *err); /* _memory.c */
bool kg_ceiling_fma(struct kg_measuring *measuring, struct kg_error *err);    /* _arithmetic.c */
bool kg_ceiling_tensor(struct kg_measuring *measuring, struct kg_error *err);
/* The tensor cores by wgmma, if both the device and the program support it. To be called after
 * kg_ceiling_tensor. The higher figure of the two stays. A wrong result sets `doubt`. */
bool kg_ceiling_wgmma(struct kg_measuring *measuring, struct kg_error *err);
