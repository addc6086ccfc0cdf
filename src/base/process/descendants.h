/* descendants.h: ends the processes that workers leave behind. A process that a workload starts may
 * leave its group and session, and outlive the workload. It would take CPUs from the rounds that
 * follow. When its parent ends, the kernel hands the process to kgate (PR_SET_CHILD_SUBREAPER).
 * kgate ends it with the round. One thread. */
#pragma once
#include <stdbool.h>
#include <sys/types.h>

/* From now on, processes that workers leave behind become children of this process. If this process
 * has children that are no workers, the function does nothing: kgate must not end their
 * descendants. May be called again. */
void kg_descendants_adopt(void);

/* A worker begins or has ended. A live worker is no left-behind descendant. */
void kg_descendants_expect(pid_t worker);
void kg_descendants_forget(pid_t worker);

/* Keeps the present descendants until all workers have ended, for example a server that `setup`
 * started. At most 64 are kept. */
void kg_descendants_keep(void);

/* Kills and reaps the processes that calls have left since kg_descendants_keep, or since workers
 * began. Takes about 20 us if there are none. */
void kg_descendants_end_new(void);

/* Kills and reaps the children that are no live workers, then their children, until none is left.
 * Gives up after two seconds. Takes about 20 us if there are none. */
void kg_descendants_end(void);
