/* thread_samples.h: what was seen of threads, tick by tick, each stack kept once. */
#pragma once
#include "why/observe/modules.h"

enum { KG_STACK_SAMPLES_MOST = 1 << 20 };

struct kg_stack_sample {
    uint32_t stack;
    uint32_t tick;
    bool first;   /* the workload's first thread */
    bool root;    /* of the process that was asked about, not of one that it started */
    bool waiting; /* off the CPU, and not ready */
    long call;    /* the system call that it was in; -1: in none */
};

/* Frames, the innermost first, in the pool of all. */
struct kg_raw_stack {
    size_t start, count;
};

struct kg_samples {
    struct kg_stack_sample *of;
    size_t count, capacity;
    struct kg_raw_stack *stacks;
    size_t stack_count, stack_capacity;
    kg_code_address *pool;
    size_t pool_count, pool_capacity;
    uint32_t *table; /* of stacks, by their hash: number + 1 */
    size_t table_room;
    bool failed; /* memory was out: what came later is missing */
};

/* The number of a stack. On failure `failed` is set, and 0 returned. */
uint32_t kg_samples_stack(struct kg_samples *samples, const kg_code_address *frames, size_t count);
void kg_samples_add(struct kg_samples *samples, const struct kg_stack_sample *sample);
void kg_samples_free(struct kg_samples *samples);
