/* cpu_ceilings_parts.h: the shared state and helpers of the parts that measure a CPU's ceilings. For
 * cpu_ceilings_*.c. */
#pragma once
#include <sched.h>
#include <stddef.h>
#include <stdint.h>

#include "device/cpu_caches.h"
#include "run/ceilings/ceilings_measure.h"

/* cpu_code.c: the loops that measure the CPU's ceilings, for each width of vectors. Their correct
 * results are known, so kgate can check them. Thread-safe. */

enum {
    KG_CPU_BLOCK_WORDS = 128, /* divides the sizes of arrays, which start at a cache line */
    KG_CPU_CHAINS = 12,       /* multiply-add chains: enough for two units of latency five */
};

/* Loops of one instruction set. Arrays do not overlap. `times`: repetitions of the loop. */
struct kg_cpu_code {
    const char *name; /* "AVX-512", "AVX2", "plain" */
    /* Multiply-adds, one per step on each lane of each chain, in scalars and in vectors. Returns the
     * sum of all lanes, which must equal kg_cpu_chains_sum. */
    float (*scalar)(uint32_t steps);
    float (*vector)(uint32_t steps);
    float lanes; /* per vector */
    /* The sum of all words, modulo 2^32. */
    uint32_t (*read)(const uint32_t *words, size_t count, uint32_t times);
    void (*copy)(uint32_t *to, const uint32_t *from, size_t count, uint32_t times);
    /* to[i] = a[i] + b[i] */
    void (*add)(uint32_t *to, const uint32_t *a, const uint32_t *b, size_t count, uint32_t times);
    /* Stores bypass the caches, if the processor can do that. */
    void (*stream_copy)(uint32_t *to, const uint32_t *from, size_t count, uint32_t times);
    void (*stream_add)(uint32_t *to, const uint32_t *a, const uint32_t *b, size_t count,
                       uint32_t times);
};

/* The code for the widest vectors that kernels use here. */
const struct kg_cpu_code *kg_cpu_code(void);

/* All code that this processor can run; the plain one is last, then NULL. For tests. */
const struct kg_cpu_code *kg_cpu_code_of(size_t index);

/* The correct result of `scalar` (lanes 1) and `vector`: exact below 2^24. Pure. */
float kg_cpu_chains_sum(float lanes, uint32_t steps);

struct kg_cpu_measuring {
    struct kg_cpu_ceilings *ceilings; /* NaN, or the best so far */
    struct kg_cpu_caches caches;
    const struct kg_cpu_code *code;
    double free_bytes; /* free memory */
    int cpus[CPU_SETSIZE];
    int cpu_count;
};

/* --- Teams of threads: cpu_ceilings_team.c --- */

/* The work of one thread of a team. Returns false if its result is wrong. */
typedef bool kg_cpu_work(void *state, int thread);

/* Runs the work once on each of `threads` threads. false: err says why. */
bool kg_cpu_team_do(int threads, kg_cpu_work *work, void *state, struct kg_error *err);

/* A piece of work to time. */
struct kg_cpu_task {
    kg_cpu_work *work; /* some microseconds */
    void *state;
    double amount; /* amount of work per call of `work`, in the unit of the rate */
    bool shared;   /* threads compete for the resource: the last cache, memory */
};

/* Repeats the task on all threads at the same time, for some samples of a millisecond. Raises *rate to
 * the best: the amount per second, from the first thread's start to the last one's end. If each core
 * has its own resource, kgate also adds up the threads' rates per CPU time. The reason: beside other
 * processes, all threads seldom run at once. */
bool kg_cpu_team_rate(int threads, const struct kg_cpu_task *task, double *rate,
                      struct kg_error *err);

/* Pins each thread to a CPU of its own. The first thread gets the last CPU, since the first CPU serves
 * most interrupts. Threads stay unpinned if the system does not allow it. */
void kg_cpu_team_pin(const struct kg_cpu_measuring *measuring, int threads);
/* Lets the threads run on all of `set` again. */
void kg_cpu_team_unpin(const cpu_set_t *set, int threads);

/* --- The parts: each raises its figures, or says why it cannot. `threads` is 1 or all. --- */

bool kg_cpu_arithmetic(struct kg_cpu_measuring *measuring, int threads, struct kg_error *err);
bool kg_cpu_memory(struct kg_cpu_measuring *measuring, int threads, struct kg_error *err);
/* The costs of waiting, which are the remaining figures. */
bool kg_cpu_waits(struct kg_cpu_measuring *measuring, int threads, struct kg_error *err);

/* The latency of dependent loads, in the first half of `bytes`, which the function overwrites. NaN if
 * there are too few bytes. The function reads the other half to evict the first half from the
 * caches. */
double kg_cpu_latency_ns(const struct kg_cpu_code *code, void *memory, size_t bytes);
