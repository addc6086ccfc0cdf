/* gpu.h: times on CUDA streams by events, collected later, without ever waiting for the program's
 * work. The driver's library is opened at run time. Without it, a device or a context, nothing is
 * timed and nothing fails. One struct kg_gpu_times belongs to one thread's recording; the caller
 * serialises the calls on it. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "profiler/record/recording.h"

struct kg_gpu_times;

/* Two events on a stream: the start and the end of a scope. The caller gives every mark of
 * kg_gpu_begin to kg_gpu_end or kg_gpu_cancel, once; the mark's stream must live until then. */
struct kg_gpu_mark {
    void *start;
    void *stop;
    void *stream;
    struct kg_gpu_context *context; /* gpu.c's own */
};

/* An entry whose GPU time is known, or will never be known. */
struct kg_gpu_done {
    struct kg_entry entry; /* KG_ENTRY_GPU is set if `gpu` is filled */
    struct kg_entry_usage usage;
    struct kg_entry_gpu gpu;
};

/* Most marks begun or pending at a time. */
enum { KG_GPU_PENDING_MOST = 1024 };

/* Opens nothing yet. NULL if memory is out. */
struct kg_gpu_times *kg_gpu_new(void);
/* Destroys the events. A destroyed context has already destroyed its own. NULL is ignored. */
void kg_gpu_free(struct kg_gpu_times *gpu);

/* Whether the calling thread has a CUDA context. The first call opens the driver. */
bool kg_gpu_present(void);

/* Puts an event on the stream. It costs some hundred nanoseconds more than the driver's call. Every
 * quarter of a second it costs some 20 us more, at most 400: it then relates the device's clock to the
 * host's (gpu_driver.h). The first call opens the driver, which takes milliseconds.
 * returns false, with `mark` zeroed, if nothing is timed: no driver, no current context, an error, a
 *         stream under capture, or KG_GPU_PENDING_MOST pending */
bool kg_gpu_begin(struct kg_gpu_times *gpu, void *stream, struct kg_gpu_mark *mark);

/* Puts the second event on the stream, in any current context. Keeps the entry until the device has
 * passed both events.
 * usage    not NULL if the entry has the flag KG_ENTRY_USAGE;
 * returns  false if the entry stays the caller's, without a GPU time; the mark is then released */
bool kg_gpu_end(struct kg_gpu_times *gpu, struct kg_gpu_mark *mark, const struct kg_entry *entry,
                const struct kg_entry_usage *usage);

/* Gives up a mark whose scope is not recorded. */
void kg_gpu_cancel(struct kg_gpu_times *gpu, struct kg_gpu_mark *mark);

/* Takes out up to `most` entries, oldest first, whose events the device has passed. Stops at the first
 * other entry. On any thread, with any context current.
 * wait_ns  0: does not wait. Otherwise, for a thread or process that is ending, it waits at most so
 *          long for each entry. An entry that is still unknown then comes out without GPU time, and
 *          counts as dropped. After the first such entry the function waits for no other.
 * A driver that is shut down and a context that is destroyed are no errors. Their entries come out
 * without GPU time, and do not count as dropped. */
size_t kg_gpu_collect(struct kg_gpu_times *gpu, double wait_ns, struct kg_gpu_done *done,
                      size_t most);

/* Used memory of the current context's device, of all programs. false: not known. */
bool kg_gpu_memory_used(uint64_t *bytes);

/* Number of entries whose events the device has not passed, as far as known. */
size_t kg_gpu_waiting(const struct kg_gpu_times *gpu);

/* Number of GPU times lost although there is a driver with a context: no room, an error, or a wait
 * without success. */
uint64_t kg_gpu_dropped(const struct kg_gpu_times *gpu);
