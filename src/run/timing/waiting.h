/* waiting.h: how long the threads of this process were ready to run and waited for a CPU while
 * pieces of a round were timed, and what the host of a virtual machine took. All is read before
 * and after a piece, never inside one. One thread. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { KG_WAITING_THREADS_MOST = 512 };

/* A thread's wait for a CPU since it began. */
struct kg_thread_wait {
    pid_t thread;
    double wait_ns;
};

struct kg_waiting {
    struct kg_thread_wait before[KG_WAITING_THREADS_MOST]; /* of the piece */
    size_t before_count;
    bool known;      /* the kernel tells of every thread so far */
    size_t cpus;     /* that the process may use */
    bool host_takes; /* the host ever took time from one of those */
    double started_ns;
    double cpu_before_ns;
    double stolen_before_ns;
    double wait_ns;   /* this and what follows: sums over the pieces */
    double unused_ns; /* time of all the CPUs that this process did not use */
    double stolen_ns;
};

/* What comes of it. */
struct kg_waited {
    double wait_ns;   /* summed over threads; NaN where the kernel does not tell. Without what the
                         process's own threads took from each other: no more than the time that its
                         CPUs did not work for it. */
    double stolen_ns; /* of the CPUs that it may use, by /proc/stat: whole hundredths of a second */
};

void kg_waiting_open(struct kg_waiting *waiting);
/* Around a piece. Threads that end within it are not counted. */
void kg_waiting_begin(struct kg_waiting *waiting);
void kg_waiting_end(struct kg_waiting *waiting);
/* Adds what a process waited that this one ran to its end. */
void kg_waiting_add(struct kg_waiting *waiting, double wait_ns);
struct kg_waited kg_waiting_close(const struct kg_waiting *waiting);
