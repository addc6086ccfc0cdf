/* guard.h: what ends the processes of workloads where kgate cannot: it was killed by SIGKILL. A worker
 * ends with kgate by itself (PR_SET_PDEATHSIG), what a worker has started does not, and may have left
 * its group and its session. So each worker has a mark in its environment, which its children inherit,
 * and a small process beside kgate, the guard, waits for kgate's end and kills whoever has that mark.
 * It sleeps until then. A process that clears its environment gets away. One thread. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* The variable's name, and room for its value. */
#define KG_GUARD_VARIABLE "KGATE_MARK"
enum { KG_GUARD_MARK_BYTES = 64 };

/* Starts the guard at the first call, and ends it when this process exits. Without one where the system
 * refuses: measuring needs none. */
void kg_guard_start(void);

/* While it is on, the guard continues kgate if kgate is stopped: a workload can stop the process that traces
 * it, and would then wait for it for ever. Job control of a terminal stays as it is. */
void kg_guard_watch(bool on);

/* The value of the variable for a worker: this kgate's mark, then the one that it was itself given by
 * a kgate that measures it. */
void kg_guard_mark(char value[KG_GUARD_MARK_BYTES]);
