/* worker.h: the process that runs a workload. Everything that user code can break happens here.
 *
 * The parent also includes protocol.h, what it and the worker say to each other, and
 * cupti_counters.h, the names of the device's counters. */
#pragma once
#include <stdbool.h>

/* Reads a request from standard input, does it, writes the response to KG_WORKER_RESPONSE.
 * returns the process's exit status: 0 where a response was written, whatever it says; 2 where the
 *         request cannot be read. A failing command ends the process by itself. */
int kg_worker_main(void);

/* The same for one request after the other, as protocol.h says, until the last or one that
 * failed. */
int kg_worker_group_main(void);

/* Says on KG_WORKER_RESPONSE which workloads the plugin has, a line each, or on standard error why
 * that cannot be said. Returns the exit status. */
int kg_worker_list_main(const char *plugin);

/* changes.c: what an experiment changes in the process that runs a workload. */

/* Denormal numbers are 0, as operands and as results, in this thread and those that it starts from
 * here on. x86-64 alone; nothing elsewhere. */
void kg_denormals_flush(void);

/* Asks for huge pages for all memory that this process has allocated, and has the kernel put
 * together those that can be. */
void kg_huge_pages_ask(void);

/* thread_placement.c: the threads of a workload on the CPU, each on a CPU of its own before the first timed
 * call and while it is timed. First thread only. */

/* Runs the call once, or twice where it works with several threads, and places those. Nothing but
 * one call where the user's environment places threads, or there is one CPU. */
void kg_settle(void *worker); /* a struct kg_worker */

/* Between two samples: places threads anew where some share a CPU while another could have one.
 * measured_ns  so far in this round; no more than a quarter of it is spent on this
 * returns      whether it made a call for that */
bool kg_settle_again(void *worker, double measured_ns);
