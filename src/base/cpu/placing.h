/* placing.h: places each busy thread of this process on a CPU of its own. First thread only. The
 * code starts no thread and needs no library, so a process of one thread stays one.
 *
 * Threads may wait for each other by spinning. If they share a CPU, a call takes tens of times
 * longer: the waiting thread burns its time slice while the other could work. The system separates
 * them only after a tenth of a second. Beside other work it may never do so: with three running
 * threads on two CPUs, both CPUs look equally busy. So each busy thread is moved to a CPU of its
 * own for one untimed call. Then it may run everywhere again. The system mostly leaves the thread
 * on its new CPU. */
#pragma once
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { KG_PLACED_MOST = 256 };

struct kg_placed {
    pid_t id;
    double before_ns; /* CPU time at the mark */
    double ran_ns;    /* CPU time since the mark */
    int cpu;          /* last CPU of the thread; -1: unknown */
    bool bound;       /* by kg_placing_bind; `mask` is the thread's mask from before */
    cpu_set_t mask;
};

struct kg_placing {
    cpu_set_t allowed; /* CPUs that the process may use */
    size_t cpus;       /* number of allowed CPUs */
    size_t count;      /* threads at the mark; after kg_placing_see: busy threads */
    struct kg_placed threads[KG_PLACED_MOST];
};

/* Notes which CPUs the process may use. */
void kg_placing_begin(struct kg_placing *placing);

/* The number of threads of this process; 1 if the system does not tell. */
size_t kg_placing_threads(void);

/* Begins to watch: lists the threads and their CPU time. The list ends at KG_PLACED_MOST
 * threads. */
void kg_placing_mark(struct kg_placing *placing);

/* Keeps the threads that were busy since the mark, new ones included, the busiest first. A
 * thread is busy if it used at least a twentieth of the busiest thread's CPU time. Returns their
 * number. */
size_t kg_placing_see(struct kg_placing *placing);

/* Whether one CPU has more busy threads than necessary. */
bool kg_placing_crowded(const struct kg_placing *placing);

/* Binds each busy thread to a CPU, as few threads as possible to one. If a thread can stay on its
 * present CPU, it stays. A thread that the workload itself keeps off some CPUs is left alone. */
void kg_placing_bind(struct kg_placing *placing);
/* Gives each thread its own mask back. */
void kg_placing_release(struct kg_placing *placing);
