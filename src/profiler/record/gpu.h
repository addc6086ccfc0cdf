/* gpu.h: times on CUDA streams by events, collected later, without ever waiting for the program's
 * work. The driver's library is opened at run time; where it, a device or a context is missing
 * nothing is timed and nothing fails. One struct kg_gpu_times belongs to one thread's recording;
 * calls on it are serialised by the caller. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "profiler/record/recording.h"

struct kg_gpu_times;

/* Two events on a stream: the beginning and the end of a scope. Every mark that kg_gpu_begin gave
 * is given to kg_gpu_end or kg_gpu_cancel, once; its stream lives until then. */
struct kg_gpu_mark {
    void *start;
    void *stop;
    void *stream;
    struct kg_gpu_context *context; /* gpu.c's own */
};

/* An entry whose GPU time is known, or will never be. */
struct kg_gpu_done {
    struct kg_entry entry; /* KG_ENTRY_GPU is set where `gpu` holds something */
    struct kg_entry_usage usage;
    struct kg_entry_gpu gpu;
};

/* Begun or pending at a time. */
enum { KG_GPU_PENDING_MOST = 1024 };

/* NULL where memory is out. Opens nothing yet. */
struct kg_gpu_times *kg_gpu_new(void);
/* Destroys the events; those of a context that is gone are left to it. NULL is ignored. */
void kg_gpu_free(struct kg_gpu_times *gpu);

/* Puts an event on the stream. It costs some hundred nanoseconds more than the driver's call; some
 * 20 us more, at most 400, every quarter of a second, to place events on the host's clock
 * (gpu_reference.h); milliseconds at the first call, which opens the driver.
 * returns false, with `mark` zeroed, where nothing is timed: no driver, no current context, an
 *         error, a stream that is being captured into a graph, or KG_GPU_PENDING_MOST pending */
bool kg_gpu_begin(struct kg_gpu_times *gpu, void *stream, struct kg_gpu_mark *mark);

/* Puts the second event on the stream, whatever context is current now, and keeps the entry until
 * both have happened.
 * usage    with KG_ENTRY_USAGE among the entry's flags, else NULL
 * returns  false where the entry stays the caller's, without a GPU time, and the mark is
 *          given up */
bool kg_gpu_end(struct kg_gpu_times *gpu, struct kg_gpu_mark *mark, const struct kg_entry *entry,
                const struct kg_entry_usage *usage);

/* Gives up a mark whose scope is not recorded. */
void kg_gpu_cancel(struct kg_gpu_times *gpu, struct kg_gpu_mark *mark);

/* Takes out up to `most` entries, oldest first, whose events have happened; stops at the first that
 * has not. On any thread, with any context current.
 * wait_ns  0: does not wait. Else waits for each, at most that long, and takes out what then is not
 *          known, too, without GPU time (counted as dropped); after one was waited for in vain no
 *          other is. For a thread or process that is ending
 * A driver that is shut down and a context that is gone are no errors: their entries come out
 * without GPU time, and are not counted as dropped. */
size_t kg_gpu_collect(struct kg_gpu_times *gpu, double wait_ns, struct kg_gpu_done *done,
                      size_t most);

/* Entries whose events have not been seen to happen. */
size_t kg_gpu_waiting(const struct kg_gpu_times *gpu);

/* How many GPU times were not taken although there is a driver with a context: no room, an error,
 * or waited for in vain. */
uint64_t kg_gpu_dropped(const struct kg_gpu_times *gpu);
