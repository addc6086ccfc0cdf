/* system_calls.h: which system calls a workload makes, how often, with how many bytes and for how long:
 * its process is traced by ptrace, from a thread of kgate's own. The worker says where calls of the
 * workload begin and end (KG_MARK_BEGIN, KG_MARK_END); nothing else of it counts. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/error.h"
#include "model/hot_code.h"

/* What is traced. */
struct kg_traced_process {
    pid_t process;     /* of the worker */
    bool command;      /* the workload is what that one starts, from its exec on; else in it */
    size_t calls_most; /* system calls after which the process is left alone */
};

/* How often the workload was called, and what that took, as its worker says: all so far. */
struct kg_marked {
    uint64_t calls;
    uint64_t wall_ns;
    uint64_t cpu_ns;
    uint64_t system_ns; /* of these */
};

struct kg_call_tracer;

/* Starts to trace; the process is stopped for a moment.
 * tracer   NULL where ptrace is refused: then `refusal` is why, an errno
 * returns, or no thread can be started */
bool kg_call_tracer_start(const struct kg_traced_process *target, struct kg_call_tracer **tracer,
                          int *refusal, struct kg_error *err);

/* How many system calls of the workload have been seen. May be asked while it traces. */
size_t kg_call_tracer_seen(const struct kg_call_tracer *tracer);

/* Lets the process go on by itself. */
void kg_call_tracer_stop(struct kg_call_tracer *tracer);

/* What was seen between begin and end, a call of the workload; after stop.
 * untraced_reads  reads and writes of the process in all calls before, where that is known; NaN
 *                 else: what makes so many system calls that it was left alone in its first call is
 *                 told by them
 * call_ns         what a call takes, by the rounds; NaN: not known
 * calls           filled; its strings and arrays live in `arena` */
void kg_call_tracer_summarize(const struct kg_call_tracer *tracer, double untraced_reads,
                              double call_ns, struct kg_arena *arena,
                              struct kg_system_calls *calls);

void kg_call_tracer_free(struct kg_call_tracer *tracer);
