/* worker.h: the process that runs a workload. Everything that user code can break happens here.
 *
 * The parent also includes protocol.h, for the messages, and cupti_counters.h, for the names of the
 * device's counters. */
#pragma once
#include <stdbool.h>

/* Reads a request from standard input, does it, writes the response to KG_WORKER_RESPONSE.
 * returns the process's exit status: 0 after a response, even that of a failure; 2 if the request
 *         cannot be read. A failing command ends the process by itself. */
int kg_worker_main(void);

/* Does one request after the other, as protocol.h says. Returns after the last request, or after one
 * that failed. */
int kg_worker_group_main(void);

/* Writes the names of the plugin's workloads to KG_WORKER_RESPONSE, one per line. On failure writes
 * the reason to standard error. Returns the exit status. */
int kg_worker_list_main(const char *plugin);

/* changes.c: settings that an experiment changes in the process of a workload. */

/* Makes denormal numbers 0, as operands and as results, in this thread and in threads that it starts
 * later. x86-64 only; does nothing elsewhere. */
void kg_denormals_flush(void);

/* Asks for huge pages for all memory that this process has allocated. The kernel then joins the
 * pages that it can. */
void kg_huge_pages_ask(void);

/* thread_placement.c: puts each thread of a workload on a CPU of its own, before the first timed call and
 * between samples. First thread only. */

/* Runs the call once, or twice if it works with several threads, and places these threads. Only runs
 * the call if the user's environment places threads, or if there is one CPU. */
void kg_settle(void *worker); /* a struct kg_worker */

/* To be called between two samples: places threads again if some share a CPU while another is free.
 * measured_ns  measured time of the round so far; placing takes at most a quarter of it
 * returns      whether it ran the call for that */
bool kg_settle_again(void *worker, double measured_ns);
