/* region.h: the open parallel regions of the process-wide recording. A scope that is outermost on a
 * thread which a region started belongs below that region: the thread's frames[0] then stands for the
 * region's path instead of the root. Only slow paths come here. */
#pragma once
#include "profiler/record/thread.h"

/* Notes that the thread's innermost open scope is a region. A ninth region at a time is not noted. */
void kg_region_open(struct kgate_profiler_thread *thread);

/* Forgets the region of the thread's innermost open scope, if it is one. */
void kg_region_close(struct kgate_profiler_thread *thread);

/* Sets frames[0] of the thread to the region that started it, or to the root. To be called at the
 * thread's first scope after the profiler's epoch has changed. */
void kg_region_join(struct kgate_profiler_thread *thread);

/* Forgets all regions: for a new recording. */
void kg_regions_forget(void);
/* The same in a forked child: another thread of the parent may have held the lock. */
void kg_regions_forked(void);
