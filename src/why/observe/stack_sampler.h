/* stack_sampler.h: where the time of a running process goes: its threads, and those of the processes that it
 * starts, are looked at about a thousand times a second, running or waiting. Each look stops a thread
 * for some microseconds (thread_stop.c); nothing is put into the process, and no privilege is needed for
 * a process of one's own. One thread, the same for all calls.
 *
 * modules.h names the code at an address; addresses.h is for a disassembler. */
#pragma once
#include <sys/types.h>

#include "base/arena.h"
#include "why/observe/addresses.h"

/* What is looked at. */
struct kg_sampled_process {
    pid_t process; /* a child of this process */
    bool worker;   /* it is kgate's worker, whose own functions do not count */
    bool command;  /* the workload is what that one starts, else in it */
};

struct kg_stack_sampler;

struct kg_stack_sampler *kg_stack_sampler_open(const struct kg_sampled_process *target);
void kg_stack_sampler_close(struct kg_stack_sampler *sampler);

/* Goes on with another process of the same workload: the one before has ended. */
void kg_stack_sampler_follow(struct kg_stack_sampler *sampler,
                             const struct kg_sampled_process *target);

/* When to look next, by kg_clock_ns: a millisecond after the last, give or take a few per cent, so that
 * nothing regular is always met at the same place; later where looking takes long. */
uint64_t kg_stack_sampler_next_ns(const struct kg_stack_sampler *sampler);

/* Looks at all threads once. */
void kg_stack_sampler_take(struct kg_stack_sampler *sampler);

/* What the samples say. Of the worker's stacks those parts count that the workload's call is, and
 * samples of the worker alone, or of threads that wait for work, are left out.
 * sampled    filled; its strings and arrays live in `arena`
 * addresses  likewise, in `address_arena` */
void kg_stack_sampler_summarize(struct kg_stack_sampler *sampler, struct kg_arena *arena,
                                struct kg_sampled *sampled, struct kg_arena *address_arena,
                                struct kg_hot_addresses *addresses);
