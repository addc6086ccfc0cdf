/* thread_placement.h: the threads of a workload on the CPU, each on a CPU of its own before the first timed
 * call and while it is timed. First thread only. */
#pragma once
#include <stdbool.h>

/* Runs the call once, or twice where it works with several threads, and places those. Nothing but
 * one call where the user's environment places threads, or there is one CPU. */
void kg_settle(void *worker); /* a struct kg_worker */

/* Between two samples: places threads anew where some share a CPU while another could have one.
 * measured_ns  so far in this round; no more than a quarter of it is spent on this
 * returns      whether it made a call for that */
bool kg_settle_again(void *worker, double measured_ns);
