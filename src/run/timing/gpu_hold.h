/* gpu_hold.h: the timer's own work on its stream: holding it back, reading clocks, flushing. For
 * the files of the timer. First thread only. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "run/timing/gpu_timer.h"

/* Puts a kernel on the stream that holds back what follows until kg_gpu_release, or for
 * limit_ns. */
bool kg_gpu_hold(struct kg_gpu_timer *timer, double limit_ns, struct kg_error *err);
/* Ends every hold so far. Cannot fail, and does nothing where there is none. */
void kg_gpu_release(struct kg_gpu_timer *timer);
/* Whether the last hold ran out. To be asked when the stream is done. */
bool kg_gpu_hold_ran_out(const struct kg_gpu_timer *timer);

/* Reads the clocks of all multiprocessors into timer->shared->stamps[which]. */
bool kg_gpu_stamp(struct kg_gpu_timer *timer, enum kg_gpu_stamps which, struct kg_error *err);

/* Writes twice the size of the L2 cache, then reads as much of other memory: nothing of the workload's
 * is in the cache then, and nothing that is to be written back. */
bool kg_gpu_flush(struct kg_gpu_timer *timer, struct kg_error *err);
/* Does nothing, on the device. */
bool kg_gpu_nothing(struct kg_gpu_timer *timer, struct kg_error *err);
/* Puts work on the stream that keeps all multiprocessors busy for so long. */
bool kg_gpu_busy(struct kg_gpu_timer *timer, double ns, struct kg_error *err);
bool kg_gpu_wait(struct kg_gpu_timer *timer, struct kg_error *err);
/* Between the timer's two events, on the device's clock; as read, nothing taken out. */
bool kg_gpu_elapsed_ns(struct kg_gpu_timer *timer, double *ns, struct kg_error *err);
