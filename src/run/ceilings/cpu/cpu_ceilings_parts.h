/* cpu_ceilings_parts.h: what the parts of measuring a CPU's ceilings share. Within
 * cpu_ceilings_*.c. */
#pragma once
#include <sched.h>
#include <stddef.h>
#include <stdint.h>

#include "device/cpu_caches.h"
#include "run/ceilings/ceilings_measure.h"

/* cpu_code.c: the loops whose speed is the CPU's ceilings, for each width of vectors. Their results
 * are known beforehand, so that they can be checked. Thread-safe. */

enum {
    KG_CPU_BLOCK_WORDS = 128, /* arrays are multiples of it, and begin at a line of cache */
    KG_CPU_CHAINS = 12,       /* of multiply-adds: more than two units of latency five keep busy */
};

/* Loops of one instruction set. Arrays do not overlap; all is done `times` times. */
struct kg_cpu_code {
    const char *name; /* "AVX-512", "AVX2", "plain" */
    /* Multiply-adds, one a step on each lane of each chain; the sum of all lanes, which is
     * kg_cpu_chains_sum. In scalars, and in vectors. */
    float (*scalar)(uint32_t steps);
    float (*vector)(uint32_t steps);
    float lanes; /* of a vector */
    /* The sum of all words, modulo 2^32. */
    uint32_t (*read)(const uint32_t *words, size_t count, uint32_t times);
    void (*copy)(uint32_t *to, const uint32_t *from, size_t count, uint32_t times);
    /* to[i] = a[i] + b[i] */
    void (*add)(uint32_t *to, const uint32_t *a, const uint32_t *b, size_t count, uint32_t times);
    /* The same past the caches, where the processor can. */
    void (*stream_copy)(uint32_t *to, const uint32_t *from, size_t count, uint32_t times);
    void (*stream_add)(uint32_t *to, const uint32_t *a, const uint32_t *b, size_t count,
                       uint32_t times);
};

/* That of the widest vectors that kernels use here. */
const struct kg_cpu_code *kg_cpu_code(void);

/* All that this processor has, the plain one last, then NULL: for tests. */
const struct kg_cpu_code *kg_cpu_code_of(size_t index);

/* What `scalar` (lanes 1) and `vector` give: exact below 2^24. Pure. */
float kg_cpu_chains_sum(float lanes, uint32_t steps);

struct kg_cpu_measuring {
    struct kg_cpu_ceilings *ceilings; /* NaN, or the best so far */
    struct kg_cpu_caches caches;
    const struct kg_cpu_code *code;
    double free_bytes; /* of memory */
    int cpus[CPU_SETSIZE];
    int cpu_count;
};

/* --- Teams of threads: cpu_ceilings_team.c --- */

/* What each of some threads does; false where what it computed is wrong. */
typedef bool kg_cpu_work(void *state, int thread);

/* Does it once on each of `threads` threads. false: err says why. */
bool kg_cpu_team_do(int threads, kg_cpu_work *work, void *state, struct kg_error *err);

/* What is timed. */
struct kg_cpu_task {
    kg_cpu_work *work; /* some microseconds */
    void *state;
    double amount; /* of what one turn of one thread does */
    bool shared;   /* threads take it from each other: the last cache, memory */
};

/* Does it again and again on all of them at the same time, for some samples of a millisecond.
 * Raises *rate to the best: the amount a second, from the first thread's start to the last one's
 * end. Of what each core has for itself the threads' own rates are added up, by their time on a
 * CPU: where other processes run too, it is seldom that all threads run at once. */
bool kg_cpu_team_rate(int threads, const struct kg_cpu_task *task, double *rate,
                      struct kg_error *err);

/* Puts the threads on a CPU each, the first of them on the last CPU, since the first CPU serves
 * most interrupts; where that is not allowed they stay where they are. */
void kg_cpu_team_pin(const struct kg_cpu_measuring *measuring, int threads);
/* On all of `set` again. */
void kg_cpu_team_unpin(const cpu_set_t *set, int threads);

/* --- The parts: each betters its figures, or says why it cannot. `threads` is 1 or all. --- */

bool kg_cpu_arithmetic(struct kg_cpu_measuring *measuring, int threads, struct kg_error *err);
bool kg_cpu_memory(struct kg_cpu_measuring *measuring, int threads, struct kg_error *err);
/* What waiting costs: the rest of the figures. Those of one thread, or of several. */
bool kg_cpu_waits(struct kg_cpu_measuring *measuring, int threads, struct kg_error *err);

/* The latency of loads from the first half of `bytes`, overwritten, each reading the address
 * of the next; NaN where there are too few bytes. Reading the other half empties the caches
 * of the first. */
double kg_cpu_latency_ns(const struct kg_cpu_code *code, void *memory, size_t bytes);
