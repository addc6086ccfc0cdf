/* cpu_ceilings_parts.h: what the parts of measuring a CPU's ceilings share. Within
 * cpu_ceilings_*.c. */
#pragma once
#include <sched.h>

#include "device/cpu_caches.h"
#include "run/ceilings/ceilings_measure.h"
#include "run/ceilings/cpu_code.h"

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
