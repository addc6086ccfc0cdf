/* sampler_state.h: state shared by stack_sampler.c (gathers samples), sample_tally.c (sums them)
 * and sample_summary.c (keeps the hottest). */
#pragma once
#include <sched.h>
#include <stdint.h>

#include "base/random.h"
#include "why/observe/modules.h"
#include "why/observe/stack_sampler.h"
#include "why/observe/thread_list.h"

/* thread_stop.c: reads the registers of a thread and the top of its stack. ptrace stops the
 * thread for some microseconds. Between two samples the thread is not traced. */

/* Registers by their DWARF numbers: rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 … r15, and the
 * instruction pointer. */
enum { KG_REGISTERS = 17, KG_REGISTER_STACK = 7, KG_REGISTER_PLACE = 16 };
enum { KG_STACK_BYTES = 16 * 1024, KG_PROCESS_PART_MOST = 256 * 1024 };

struct kg_stopped {
    uint64_t registers[KG_REGISTERS];
    bool known[KG_REGISTERS];
    long call;           /* number of the current system call; -1: none */
    size_t stack_length; /* bytes of `stack`, from the stack pointer upwards */
    unsigned char stack[KG_STACK_BYTES];
};

enum kg_stop {
    KG_STOP_READ,
    KG_STOP_GONE,
    KG_STOP_REFUSED,
    KG_STOP_LATE, /* it has not stopped in time: the caller must call kg_task_release later */
};

/* Stops a thread, reads it and resumes it. The caller should block SIGCHLD; otherwise each stop
 * takes a millisecond.
 * child    whether the process is a child of this one: its end is then left for its waiter
 * refusal  errno, on KG_STOP_REFUSED */
enum kg_stop kg_task_stop(const struct kg_task *task, bool child, struct kg_stopped *stopped,
                          int *refusal);

/* Resumes a thread that stopped late, or takes its end.
 * limit_ns  maximum time to wait
 * returns   false if it has not stopped yet */
bool kg_task_release(const struct kg_task *task, bool child, uint64_t limit_ns);

/* Reads the stack and the instruction pointer of a waiting thread without stopping it. */
void kg_task_waiting_read(const struct kg_task *task, const struct kg_task_state *state,
                          struct kg_stopped *stopped);

/* Reads memory of a process; false if a part of it is missing. */
bool kg_process_memory(pid_t process, uint64_t address, void *bytes, size_t count);

/* Reads memory of a process up to its first missing page.
 * count    at most KG_PROCESS_PART_MOST
 * returns  number of bytes read */
size_t kg_process_memory_part(pid_t process, uint64_t address, void *bytes, size_t count);

/* unwind.c: the stack of a stopped thread as addresses in files of machine code. It uses the
 * unwind tables that compilers write for exceptions, or else frame pointers. For one thread. */

enum { KG_UNWIND_MOST = 256 };

struct kg_unwinder;

/* For the processes of one workload.
 * modules  borrowed */
struct kg_unwinder *kg_unwinder_open(struct kg_modules *modules);
void kg_unwinder_close(struct kg_unwinder *unwinder);

/* The frames of a thread, innermost first: the address of the next instruction, then of the
 * calls. The list ends at the first frame that cannot be unwound. Addresses in no file are
 * skipped; only the innermost counts, in KG_MODULE_NO_FILE.
 * returns  number of frames; 0: the process has ended */
size_t kg_unwind(struct kg_unwinder *unwinder, const struct kg_task *task,
                 const struct kg_stopped *stopped, kg_code_address frames[KG_UNWIND_MOST]);

/* thread_samples.c: the samples of threads by tick; each stack is stored once. */

enum { KG_STACK_SAMPLES_MOST = 1 << 20 };

struct kg_stack_sample {
    uint32_t stack;
    uint32_t tick;
    bool first;   /* the workload's first thread */
    bool root;    /* belongs to the sampled process, not to a process started later */
    bool waiting; /* off the CPU, and not ready to run */
    long call;    /* number of the current system call; -1: none */
};

/* Frames in the common pool, innermost first. */
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
    uint32_t *table; /* hash table of stacks: number + 1 */
    size_t table_room;
};

/* The number of a stack. */
uint32_t kg_samples_stack(struct kg_samples *samples, const kg_code_address *frames, size_t count);
void kg_samples_add(struct kg_samples *samples, const struct kg_stack_sample *sample);
void kg_samples_free(struct kg_samples *samples);

enum { KG_WAITS_MOST = 256, KG_LATE_MOST = 16 };

/* A thread that still waits at the same place has the same stack. So kgate stops it only now and
 * then, and lets it sleep otherwise. */
struct kg_wait_seen {
    pid_t thread;
    long call;
    unsigned long sp, pc;
    uint32_t stack;
    unsigned used;
};

struct kg_stack_sampler {
    struct kg_sampled_process target;
    struct kg_arena arena; /* owns the modules' strings */
    struct kg_modules *modules;
    struct kg_unwinder *unwinder;
    struct kg_tasks tasks;
    struct kg_samples samples;
    struct kg_random random;
    struct kg_wait_seen waits[KG_WAITS_MOST];
    struct kg_stopped stopped;
    struct kg_task late[KG_LATE_MOST]; /* threads that have not yet obeyed a stop request */
    size_t late_count;
    uint64_t next_ns;
    uint32_t ticks;
    cpu_set_t allowed;                      /* CPUs that this thread may use; empty: unknown */
    unsigned running;                       /* number of threads that ran in this tick */
    int cpu;                                /* CPU of one thread that ran in this tick; -1: none */
    int refusal;                            /* errno of the first thread that refused; 0: none */
    size_t refused;                         /* number of samples that were refused */
    size_t executable;                      /* number of the worker's module */
    bool followed;                          /* the target has been sampled */
    unsigned long user_ticks, system_ticks; /* CPU time of the process at its first tick */
    unsigned long user_end, system_end;     /* CPU time at its last tick */
    /* CPU time of previous targets, between their ticks */
    unsigned long user_before, system_before;
};

/* symbol_resolve.c: the functions and lines of a stack of addresses. It omits frames of the
 * worker, and frames that start programs and threads. For one thread. */

enum kg_stack_role {
    KG_STACK_NONE, /* no frame of the workload: the worker alone, or an idle thread */
    KG_STACK_WORK,
    /* In a function that waits for a lock of another thread. */
    KG_STACK_LOCKED,
    KG_STACK_BARRIER, /* in a function that waits for other threads to arrive */
};

struct kg_resolved_stack {
    struct kg_place *frames; /* innermost first; direct recursion counts once */
    size_t frame_count;      /* at most KG_HOT_FRAMES_MOST */
    /* Index of the innermost frame in the workload's own code, outside of system headers. If all
     * frames are in installed libraries: the outermost. */
    size_t own;
    /* Indices of frames; frame_count: none. The function of a system header that `own` calls; the
     * function of an installed library that the two enter; the caller of `own`. */
    size_t header, callee, caller;
    size_t own_module;  /* number of that frame's file; KG_MODULES_MOST: none */
    kg_code_address at; /* address of the innermost frame */
    enum kg_stack_role role;
};

/* Resolves a stack.
 * arena  owns the frames; strings belong to the modules
 * first  whether it is the workload's first thread */
void kg_stack_resolve(struct kg_stack_sampler *sampler, uint32_t stack, bool first, bool root,
                      struct kg_arena *arena, struct kg_resolved_stack *resolved);

/* sample_tally.c: selects the samples that count, and sums them. */

/* Sums of a function or a line. */
struct kg_tally_place {
    struct kg_place place;
    double self, total;
    size_t last; /* last group of samples with this place: it counts once per group */
    double best; /* highest count of one of its lines */
};

struct kg_tally_places {
    struct kg_tally_place *of;
    size_t count, capacity;
    bool lines; /* true: by line; false: by function */
};

struct kg_tally_stack {
    /* the most frequent of the stacks that differ only in lines */
    const struct kg_resolved_stack *stack;
    double count, best;
    bool waiting;
    long call;
};

/* Samples of a function of own code, by caller and by the library function or system call that
 * it entered. */
struct kg_tally_site {
    const struct kg_place *place;                    /* as in its largest group */
    const struct kg_place *caller, *header, *callee; /* NULL: none */
    long call;
    double count, best;
};

struct kg_tally_address {
    const struct kg_resolved_stack *stack;
    double count;
};

/* Sums of the samples that count. */
struct kg_sample_tally {
    struct kg_stack_sampler *sampler;
    struct kg_arena arena; /* owns the resolved stacks */
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

/* Sums the sampler's samples and removes samples that do not count.
 * tally  borrows the sampler; the caller frees it */
void kg_samples_tally(struct kg_stack_sampler *sampler, struct kg_sample_tally *tally);
void kg_sample_tally_free(struct kg_sample_tally *tally);
