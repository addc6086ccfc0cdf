/* sampler_state.h: what stack_sampler.c gathers, sample_tally.c sums and sample_summary.c keeps. */
#pragma once
#include <sched.h>
#include <stdint.h>

#include "base/random.h"
#include "why/observe/modules.h"
#include "why/observe/stack_sampler.h"
#include "why/observe/thread_list.h"

/* thread_stop.c: the registers of a thread and the top of its stack, for which it is stopped by ptrace for
 * some microseconds. Between two looks it is not traced. */

/* By the numbers that DWARF has for them: rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 … r15, and the
 * place of the next instruction. */
enum { KG_REGISTERS = 17, KG_REGISTER_STACK = 7, KG_REGISTER_PLACE = 16 };
enum { KG_STACK_BYTES = 16 * 1024 };

struct kg_stopped {
    uint64_t registers[KG_REGISTERS];
    bool known[KG_REGISTERS];
    long call;           /* the system call that it was in; -1: in none */
    size_t stack_length; /* bytes of `stack`, from the stack pointer upwards */
    unsigned char stack[KG_STACK_BYTES];
};

enum kg_stop {
    KG_STOP_READ,
    KG_STOP_GONE,
    KG_STOP_REFUSED,
    KG_STOP_LATE, /* it has not stopped soon: kg_task_release must let it go later */
};

/* Stops a thread, reads it and lets it go on. SIGCHLD should be blocked, or each stop takes a
 * millisecond.
 * child    whether its process is a child of this one: what waits for its end still finds it
 * refusal  on KG_STOP_REFUSED: errno */
enum kg_stop kg_task_stop(const struct kg_task *task, bool child, struct kg_stopped *stopped,
                          int *refusal);

/* Lets a thread go on that was late to stop, or takes its end.
 * limit_ns  how long it is waited for
 * returns   false where it has not stopped yet */
bool kg_task_release(const struct kg_task *task, bool child, uint64_t limit_ns);

/* Reads what can be read of a thread that waits, without stopping it: the stack and the place alone. */
void kg_task_waiting_read(const struct kg_task *task, const struct kg_task_state *state,
                          struct kg_stopped *stopped);

/* Reads memory of a process; false where not all of it is there. */
bool kg_process_memory(pid_t process, uint64_t address, void *bytes, size_t count);

/* unwind.c: the stack of a stopped thread as addresses in files of machine code, by the tables that
 * compilers write for exceptions; by frame pointers where there are none. One thread. */

enum { KG_UNWIND_MOST = 256 };

struct kg_unwinder;

/* For the processes of one workload.
 * modules  borrowed */
struct kg_unwinder *kg_unwinder_open(struct kg_modules *modules);
void kg_unwinder_close(struct kg_unwinder *unwinder);

/* The frames of a thread, the innermost first: the address of the next instruction, then of the
 * calls. What cannot be unwound ends there; an address in no file is left out but for the innermost,
 * which is of KG_MODULE_NO_FILE.
 * returns  how many; 0 where the process has ended */
size_t kg_unwind(struct kg_unwinder *unwinder, const struct kg_task *task,
                 const struct kg_stopped *stopped, kg_code_address frames[KG_UNWIND_MOST]);

/* thread_samples.c: what was seen of threads, tick by tick, each stack kept once. */

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
};

/* The number of a stack. */
uint32_t kg_samples_stack(struct kg_samples *samples, const kg_code_address *frames, size_t count);
void kg_samples_add(struct kg_samples *samples, const struct kg_stack_sample *sample);
void kg_samples_free(struct kg_samples *samples);

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
    bool followed;     /* the target has been looked at */
    unsigned long user_ticks, system_ticks; /* CPU time of the process at its first tick */
    unsigned long user_end, system_end;     /* and at its last */
    unsigned long user_before,
        system_before; /* CPU time of the targets before, between their ticks */
};

/* symbol_resolve.c: what a stack of addresses means: functions and lines, without the frames of the worker
 * and of what starts programs and threads. One thread. */

enum kg_stack_role {
    KG_STACK_NONE, /* nothing of the workload is on it: the worker alone, a thread without work */
    KG_STACK_WORK,
    KG_STACK_LOCKED,  /* it is in a function that waits for what another thread holds */
    KG_STACK_BARRIER, /* in one that waits until others come, too */
};

struct kg_resolved_stack {
    struct kg_place *frames; /* the innermost first, a function that calls itself once */
    size_t frame_count;      /* at most KG_HOT_FRAMES_MOST */
    size_t own;         /* index of the innermost frame in the workload's own code; the outermost
                                frame if all are in installed libraries */
    size_t own_module;  /* number of that frame's file; KG_MODULES_MOST: none */
    kg_code_address at; /* of the innermost frame */
    enum kg_stack_role role;
};

/* arena  owns the frames; strings are the modules'
 * first  whether it is the workload's first thread */
void kg_stack_resolve(struct kg_stack_sampler *sampler, uint32_t stack, bool first, bool root,
                      struct kg_arena *arena, struct kg_resolved_stack *resolved);

/* sample_tally.c: which samples count, and their sums. */

/* A function or a line that shares are summed for. */
struct kg_tally_place {
    struct kg_place place;
    double self, total;
    size_t last; /* the group of samples where it was met: it counts once in each */
    double best; /* the most that one of its lines has */
};

struct kg_tally_places {
    struct kg_tally_place *of;
    size_t count, capacity;
    bool lines; /* by line, else by function */
};

struct kg_tally_stack {
    const struct kg_resolved_stack *stack; /* the most frequent of those alike but for lines */
    double count, best;
    bool waiting;
    long call;
};

/* Samples of a function of own code, its caller, and the function or the system call that it entered. */
struct kg_tally_site {
    const struct kg_place *place; /* as its largest group has it */
    const struct kg_place *caller, *callee;
    long call;
    double count, best;
};

struct kg_tally_address {
    const struct kg_resolved_stack *stack;
    double count;
};

/* Samples that count, summed by what they are of. */
struct kg_sample_tally {
    struct kg_stack_sampler *sampler;
    struct kg_arena arena; /* of the resolved stacks */
    struct kg_resolved_stack *resolved;
    bool *resolved_is;
    unsigned char *ticks;
    struct kg_tally_places functions, lines;
    struct kg_tally_stack *stacks;
    size_t stack_count, stack_capacity;
    struct kg_tally_site *sites;
    size_t site_count, site_capacity;
    double modules[KG_MODULES_MOST]; /* samples of own code, by file */
    struct kg_tally_address *addresses;
    size_t address_count, address_capacity;
    double counted, running, system, unnamed, first, first_waiting;
};

/* Sums the sampler's samples, and leaves those that count.
 * tally  to be freed; borrows the sampler */
void kg_samples_tally(struct kg_stack_sampler *sampler, struct kg_sample_tally *tally);
void kg_sample_tally_free(struct kg_sample_tally *tally);
