/* placing.h: the threads of this process, each on a CPU of its own. First thread only; it starts no
 * thread and needs no library, so a process of one thread stays one.
 *
 * Threads that wait for each other by spinning and share a CPU take a call tens of times longer: the
 * one that waits burns its time slice while the other could work. The system parts them only after
 * a tenth of a second, and beside other work not even then: with three that run on two CPUs each
 * CPU looks as busy as the other. So each thread that works is moved to a CPU of its own for one
 * untimed call, and then may run everywhere again, as before. It stays where it is unless the
 * system has a reason to move it. */
#pragma once
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { KG_PLACED_MOST = 256 };

struct kg_placed {
    pid_t id;
    double before_ns; /* its CPU time at the mark */
    double ran_ns;    /* since */
    int cpu;          /* that it last ran on; -1: not known */
    bool bound;       /* by kg_placing_bind, and `mask` is what it had */
    cpu_set_t mask;
};

struct kg_placing {
    cpu_set_t allowed; /* of the process */
    size_t cpus;       /* in it */
    size_t count;      /* threads at the mark, or, once kg_placing_see has been called, busy ones */
    struct kg_placed threads[KG_PLACED_MOST];
};

/* Notes which CPUs the process may use. */
void kg_placing_begin(struct kg_placing *placing);

/* The number of threads of this process; 1 where the system does not say. */
size_t kg_placing_threads(void);

/* Begins to watch: what threads there are, and how much CPU time each has had. Those beyond
 * KG_PLACED_MOST are not seen. */
void kg_placing_mark(struct kg_placing *placing);

/* Leaves those of the threads that have worked since the mark, new ones too: had at least a twentieth of the CPU
 * time of the busiest. The busiest comes first. Returns their number. */
size_t kg_placing_see(struct kg_placing *placing);

/* Of those seen: whether one CPU has more of them than it must. */
bool kg_placing_crowded(const struct kg_placing *placing);

/* Binds each of those seen to a CPU, as few as can be to the same one: that which it is on, if it
 * can stay. A thread that the workload itself keeps off some CPUs is left alone. */
void kg_placing_bind(struct kg_placing *placing);
/* Gives each its own mask back. */
void kg_placing_release(struct kg_placing *placing);
