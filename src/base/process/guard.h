/* guard.h: ends the processes of workloads if kgate cannot, because SIGKILL killed it. A worker
 * then ends by itself (PR_SET_PDEATHSIG). A process that a worker has started does not, and may
 * have left its group and session. So each worker has a mark in its environment, which its children
 * inherit. The guard, a small process beside kgate, sleeps until kgate ends. Then it kills every
 * process with the mark. A process that clears its environment escapes. One thread. */
#pragma once
#include <stdbool.h>

/* The variable's name, and room for its value. */
#define KG_GUARD_VARIABLE "KGATE_MARK"
enum { KG_GUARD_MARK_BYTES = 64 };

/* Starts the guard at the first call, and ends it when this process exits. If the system refuses,
 * there is no guard: measuring needs none. */
void kg_guard_start(void);

/* While on, the guard continues kgate if kgate is stopped. A workload can stop the process that
 * traces it, and would then wait for ever. A stop by a terminal's job control stays. */
void kg_guard_watch(bool on);

/* The value of the variable for a worker: this kgate's mark. If another kgate measures this kgate,
 * the inherited value follows. */
void kg_guard_mark(char value[KG_GUARD_MARK_BYTES]);
