/* descendants.h: what workers leave behind. A process that a workload starts may leave its group
 * and its session, and outlive it; then it takes CPUs from the rounds that follow. Such a process
 * is handed to kgate when its parent ends (PR_SET_CHILD_SUBREAPER), and ended with the round. One
 * thread. */
#pragma once
#include <stdbool.h>
#include <sys/types.h>

/* From now on what is left behind becomes a child of this process. Not where it has children that
 * it did not start as workers: what those leave behind is not kgate's to end. May be called again. */
void kg_descendants_adopt(void);

/* A worker begins or has ended. A worker that is alive is not a descendant that was left behind. */
void kg_descendants_expect(pid_t worker);
void kg_descendants_forget(pid_t worker);

/* Keeps the descendants that are there now until all workers have ended, as a server that `setup` has
 * started; of more than 64 the rest are not kept. */
void kg_descendants_keep(void);

/* Kills and reaps what calls have left since kg_descendants_keep, or since workers began. Some 20 us
 * if there is nothing. */
void kg_descendants_end_new(void);

/* Kills and reaps the children that are no live workers, and then their children, until there are
 * none; gives up after two seconds. Some 20 us where there are none. */
void kg_descendants_end(void);
