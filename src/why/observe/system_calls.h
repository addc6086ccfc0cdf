/* system_calls.h: the system calls of a workload: kinds, numbers, bytes and times. A thread of
 * kgate traces the process by ptrace. The worker marks the begin and the end of the workload's
 * calls (KG_MARK_BEGIN, KG_MARK_END); only system calls in between count. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/error.h"
#include "model/hot_code.h"

/* Reads and writes of a process and of its ended children, as the kernel counts them without a
 * tracer (proc(5), io). */
enum kg_moving { KG_READS, KG_WRITES, KG_MOVING_COUNT };
struct kg_moved {
    double calls[KG_MOVING_COUNT]; /* number of system calls; NaN: unknown */
    double bytes[KG_MOVING_COUNT];
};
extern const struct kg_moved kg_moved_unknown;

/* The process to trace. */
struct kg_traced_process {
    pid_t process;     /* process id of the worker */
    bool command;      /* the process starts the workload as a program; it counts from exec on */
    size_t calls_most; /* limit of system calls, after which tracing ends */
    size_t reads_most; /* limit of reads and writes within the first call of the workload, after
                        * which tracing ends; 0: none. Only useful if `untraced` is known */
};

/* Totals of the workload's calls so far, as the worker reports them. */
struct kg_marked {
    uint64_t calls;
    uint64_t wall_ns;
    uint64_t cpu_ns;
    uint64_t system_ns; /* part of cpu_ns in the kernel */
};

struct kg_call_tracer;

/* Starts to trace. The process stops for a moment.
 * tracer   NULL if ptrace is refused
 * refusal  errno of the refusal; 0: none
 * returns  false if no thread can be started */
bool kg_call_tracer_start(const struct kg_traced_process *target, struct kg_call_tracer **tracer,
                          int *refusal, struct kg_error *err);

/* Number of system calls of the workload so far. Also valid during tracing. */
size_t kg_call_tracer_seen(const struct kg_call_tracer *tracer);

/* Whether tracing ended at a limit. Also valid during tracing. */
bool kg_call_tracer_full(const struct kg_call_tracer *tracer);

/* Ends the tracing; the process continues. */
void kg_call_tracer_stop(struct kg_call_tracer *tracer);

/* Summarises the system calls between begin and end, per call of the workload. Valid after stop.
 * untraced  reads and writes of the process in all calls before tracing. If tracing reached its
 *           limit within the first call, numbers and bytes of reads and writes are theirs. They
 *           also show the traced part of that call.
 * call_ns   time of a call by the rounds; NaN: unknown
 * calls     filled; strings and arrays live in `arena` */
void kg_call_tracer_summarize(const struct kg_call_tracer *tracer, const struct kg_moved *untraced,
                              double call_ns, struct kg_arena *arena,
                              struct kg_system_calls *calls);

void kg_call_tracer_free(struct kg_call_tracer *tracer);
