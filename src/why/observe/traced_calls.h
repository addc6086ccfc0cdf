/* traced_calls.h: what a tracer has seen of system calls, by their numbers. Pure; one thread. */
#pragma once
#include <sys/ptrace.h>

#include "why/observe/system_calls.h"

enum { KG_CALL_NUMBERS = 512, KG_MARKS_TIMED = 64 };

struct kg_traced_kind {
    uint64_t count;
    uint64_t bytes;
    uint64_t time_ns;
};

struct kg_traced_calls {
    struct kg_traced_kind now[KG_CALL_NUMBERS];   /* since the last begin */
    struct kg_traced_kind whole[KG_CALL_NUMBERS]; /* of turns that ended */
    bool inside;                                  /* between begin and end */
    bool paused;
    uint64_t begin_ns;
    struct kg_marked first; /* at the first begin: what was done untraced */
    struct kg_marked begin, last;
    uint64_t calls;                  /* of the workload, of turns that ended */
    bool any;                        /* a begin was seen */
    bool several;                    /* threads or processes that made calls */
    bool foreign;                    /* a program of 32 bits made some: they are left out */
    double marks_ns[KG_MARKS_TIMED]; /* how long marks took, which do nothing: what tracing adds */
    size_t mark_count;
};

/* Whether a system call is a mark of the worker's, which is then taken note of. */
bool kg_traced_mark(struct kg_traced_calls *calls, long number, const uint64_t arguments[6],
                    uint64_t now_ns);
/* A mark came back. */
void kg_traced_mark_timed(struct kg_traced_calls *calls, double took_ns);

/* A call of the workload's came back.
 * timed  its time counts: not that of a thread that waits for work */
void kg_traced_add(struct kg_traced_calls *calls, long number, int64_t result, uint64_t entered_ns,
                   uint64_t now_ns, bool timed);

void kg_traced_summarize(const struct kg_traced_calls *calls, double untraced_reads, double call_ns,
                         struct kg_arena *arena, struct kg_system_calls *summary);
