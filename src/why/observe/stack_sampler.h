/* stack_sampler.h: samples the threads of a running process and of its descendants, about a
 * thousand times per second. Running and waiting threads both count. Each sample stops a thread
 * for some microseconds (thread_stop.c). Nothing is put into the process, and a user needs no
 * privilege for own processes. For one thread, the same for all calls.
 *
 * modules.h names the code at an address; addresses.h is for a disassembler. */
#pragma once
#include <sys/types.h>

#include "base/arena.h"
#include "why/observe/addresses.h"

/* The process to sample. */
struct kg_sampled_process {
    pid_t process; /* a child of this process */
    bool worker;   /* it is kgate's worker, whose own functions do not count */
    /* the process starts the workload as a program; else it runs the workload itself */
    bool command;
};

struct kg_stack_sampler;

struct kg_stack_sampler *kg_stack_sampler_open(const struct kg_sampled_process *target);
void kg_stack_sampler_close(struct kg_stack_sampler *sampler);

/* Continues with another process of the same workload, after the previous one has ended. */
void kg_stack_sampler_follow(struct kg_stack_sampler *sampler,
                             const struct kg_sampled_process *target);

/* Time of the next sample, by kg_clock_ns: about a millisecond after the last. The distance
 * varies by some per cent, so that regular work is not always sampled at the same place. It
 * grows if sampling takes long. */
uint64_t kg_stack_sampler_next_ns(const struct kg_stack_sampler *sampler);

/* Samples all threads once. */
void kg_stack_sampler_take(struct kg_stack_sampler *sampler);

/* Resumes the threads that stopped late. Must be called before the process is ended: a killed
 * thread that is still traced keeps its process from ending. */
void kg_stack_sampler_release(struct kg_stack_sampler *sampler);

/* Summarises the samples. Stacks of the worker count only with the frames of the workload's
 * call. Samples of the worker alone, or of threads that wait for work, do not count.
 * sampled    filled; strings and arrays live in `arena`
 * addresses  filled; strings and arrays live in `address_arena` */
void kg_stack_sampler_summarize(struct kg_stack_sampler *sampler, struct kg_arena *arena,
                                struct kg_sampled *sampled, struct kg_arena *address_arena,
                                struct kg_hot_addresses *addresses);
