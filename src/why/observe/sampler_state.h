/* sampler_state.h: what thread_sampler.c gathers and sample_summary.c reads. */
#pragma once
#include <sched.h>

#include "base/random.h"
#include "why/observe/tasks.h"
#include "why/observe/thread_sampler.h"
#include "why/observe/thread_samples.h"
#include "why/observe/unwind.h"

enum { KG_WAITS_MOST = 256, KG_LATE_MOST = 16 };

/* A thread that waits at the same place as before has the same stack: it is stopped for it now and
 * then only, so that it goes on sleeping. */
struct kg_wait_seen {
    pid_t thread;
    long call;
    unsigned long sp, pc;
    uint32_t stack;
    unsigned used;
};

struct kg_stack_sampler {
    struct kg_sampled_process target;
    struct kg_arena arena; /* of the modules */
    struct kg_modules *modules;
    struct kg_unwinder *unwinder;
    struct kg_tasks tasks;
    struct kg_samples samples;
    struct kg_random random;
    struct kg_wait_seen waits[KG_WAITS_MOST];
    struct kg_stopped stopped;
    struct kg_task late[KG_LATE_MOST]; /* threads that were told to stop, and have not */
    size_t late_count;
    uint64_t next_ns;
    uint32_t ticks;
    cpu_set_t allowed; /* where this thread may run; empty: not known */
    unsigned running;  /* threads that ran in this tick */
    int cpu;           /* of one of them; -1: none */
    int refusal;       /* errno of the first thread that may not be looked at; 0 */
    size_t executable; /* the worker's module */
    unsigned long user_ticks, system_ticks; /* CPU time of the process at the first tick */
    unsigned long user_end, system_end;     /* and at the last */
};
