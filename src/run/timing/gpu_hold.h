/* gpu_hold.h: the timer's own work on its stream: blocking it, reading clocks, flushing the cache.
 * For the files of the timer. First thread only. */
#pragma once
#include <stdbool.h>

#include "run/timing/gpu_timer.h"

/* Puts a blocking kernel on the stream: later work waits until kg_gpu_release, at most limit_ns. */
bool kg_gpu_hold(struct kg_gpu_timer *timer, double limit_ns, struct kg_error *err);
/* Ends all blocking kernels so far. Cannot fail; without a blocking kernel it does nothing. */
void kg_gpu_release(struct kg_gpu_timer *timer);
/* Whether the last blocking kernel reached its limit. To be called when the stream is done. */
bool kg_gpu_hold_ran_out(const struct kg_gpu_timer *timer);

/* Reads the clocks of all multiprocessors into timer->shared->stamps[which]. */
bool kg_gpu_stamp(struct kg_gpu_timer *timer, enum kg_gpu_stamps which, struct kg_error *err);

/* Writes twice the size of the L2 cache, then reads as much of other memory. Afterwards the cache has
 * no data of the workload, and no modified lines. */
bool kg_gpu_flush(struct kg_gpu_timer *timer, struct kg_error *err);
/* Launches a kernel that does nothing. */
bool kg_gpu_nothing(struct kg_gpu_timer *timer, struct kg_error *err);
/* Puts work on the stream that keeps all multiprocessors busy for `ns`. */
bool kg_gpu_busy(struct kg_gpu_timer *timer, double ns, struct kg_error *err);
bool kg_gpu_wait(struct kg_gpu_timer *timer, struct kg_error *err);
/* Time between the timer's two events, on the device's clock; without corrections. */
bool kg_gpu_elapsed_ns(struct kg_gpu_timer *timer, double *ns, struct kg_error *err);
