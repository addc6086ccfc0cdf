/* traced_calls.h: a tracer's record of system calls, by their numbers. Pure; for one thread. */
#pragma once
#include <sys/ptrace.h>

#include "why/observe/system_calls.h"

enum { KG_CALL_NUMBERS = 512, KG_MARKS_TIMED = 64 };

struct kg_traced_kind {
    uint64_t count;
    uint64_t bytes;
    uint64_t time_ns;
    uint64_t last; /* number of calls of all kinds up to its last one */
};

struct kg_traced_calls {
    struct kg_traced_kind now[KG_CALL_NUMBERS];   /* since the last begin mark */
    struct kg_traced_kind whole[KG_CALL_NUMBERS]; /* sum over slices that ended */
    uint64_t now_count;                           /* number of calls since the last begin mark */
    bool inside;                                  /* between begin and end */
    bool paused;
    uint64_t begin_ns;
    struct kg_marked first; /* totals at the first begin, from untraced slices */
    struct kg_marked begin, last;
    uint64_t calls;                  /* number of the workload's calls in slices that ended */
    bool any;                        /* there was a begin mark */
    bool several;                    /* several threads or processes made calls */
    bool foreign;                    /* a 32-bit program made calls, which do not count */
    double marks_ns[KG_MARKS_TIMED]; /* durations of marks, which do nothing: the cost of tracing */
    size_t mark_count;
};

/* Records a mark of the worker. Returns whether the system call is a mark. */
bool kg_traced_mark(struct kg_traced_calls *calls, long number, const uint64_t arguments[6],
                    uint64_t now_ns);
/* Records that a mark returned. */
void kg_traced_mark_timed(struct kg_traced_calls *calls, double took_ns);

/* Records that a system call of the workload returned.
 * timed  false: its time does not count, because the thread waits for work */
void kg_traced_add(struct kg_traced_calls *calls, long number, int64_t result, uint64_t entered_ns,
                   uint64_t now_ns, bool timed);

/* Number of reads and writes so far, until a slice ended; then 0. */
size_t kg_traced_first_reads(const struct kg_traced_calls *calls);

void kg_traced_summarize(const struct kg_traced_calls *calls, const struct kg_moved *moved,
                         double call_ns, struct kg_arena *arena, struct kg_system_calls *summary);
