/* gpu_timer.h: a worker process's hold on its GPU: the primary context, a stream of kgate's own,
 * and what times work on it by the device's own clock. One in a process; its first thread only.
 *
 * A sample is taken in this order, all of it put on the stream before any of it runs:
 *
 *     flush of L2 (cold only), hold, stamps, start event, calls, stop event, stamps
 *
 * then the hold is released and the host waits. The hold is a kernel that waits for a word of the
 * host's, so that what the host needs to launch the calls lies before the start event. It ends by
 * itself after a tenth of a second: a call that waits for the device, or a full queue of launches,
 * costs that time and never hangs anything. A sample whose hold ran out says so. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "device/code/timing.h"
#include "device/driver.h"

/* gpu_clock.c: a multiprocessor's clock from what a tiny kernel reads on it before and after work:
 * its cycle counter and the device's timer. Needs no privilege. Pure functions; thread-safe. */

enum { KG_STAMPS_MOST = 256 };

/* The readings of one launch, one for each block. The device writes `of`, in page-locked memory. */
struct kg_stamps {
    uint64_t number; /* of the launch: readings with another are left from before */
    size_t count;    /* blocks launched, at most KG_STAMPS_MOST */
    struct kg_stamp of[KG_STAMPS_MOST];
};

/* The least time between two launches for a clock that is right within half a percent: the kernel
 * polls the timer, and so reads the counter up to 50 ns after the timer's step. */
#define KG_STAMPS_LEAST_NS 20e3

/* The clock in Hz between two launches: the median over the multiprocessors that both have read at
 * a step of the timer; without a step a reading may be off by a whole one, and is not used.
 * least_ns  that must lie between the two
 * returns   NaN where no multiprocessor has two such readings, or they lie closer */
double kg_stamps_clock_hz(const struct kg_stamps *before, const struct kg_stamps *after,
                          double least_ns);

enum kg_gpu_stamps { KG_STAMPS_BEFORE, KG_STAMPS_AFTER, KG_STAMPS_COUNT };

/* Host memory that the device reads and writes, too: page-locked and mapped. */
struct kg_gpu_shared {
    struct kg_gate gate;
    struct kg_stamps stamps[KG_STAMPS_COUNT]; /* of the last sample */
    float never;                              /* where kg_busy would write, which it does not */
};

struct kg_gpu_timer {
    struct kg_driver driver;
    int device; /* the process's only one: the worker is started with CUDA_VISIBLE_DEVICES */
    void *context;
    void *stream; /* waits for the legacy default stream, and that for it */
    void *module; /* of src/device/code/timing.cu */
    void *hold_function, *stamp_function, *empty_function, *busy_function, *clean_function;
    void *start, *stop; /* events */
    struct kg_gpu_shared *shared;
    uint64_t shared_address;
    uint32_t held; /* number of the last hold */
    bool warm;     /* kg_gpu_warm has been here */
    bool holds;    /* whether anything can be held back: not where launches wait for the device */
    uint64_t stamped;       /* number of the last stamps */
    uint64_t flush_address; /* flush_bytes to write, and after them as many zeros to read */
    size_t flush_bytes;     /* twice the L2 cache */
    int multiprocessors;
    double resolution_ns; /* smallest step between event times that was seen, at least 1 */
    double overhead_ns;   /* what events around nothing measure on a device that is warm, median:
                           already taken out of times */
};

/* Takes CUDA_LAUNCH_BLOCKING out of the environment: it is meant for the user's own programs, and
 * would make launches wait. Tools such as compute-sanitizer do that, too: then nothing is held.
 * Opens the driver (`library`, else KG_DRIVER_LIBRARY), retains the primary context of device 0,
 * makes it current, prepares everything above and warms the device (kg_gpu_warm). On failure nothing is held; err says why:
 * KG_ERROR_MEASURE. */
bool kg_gpu_timer_open(const char *library, struct kg_gpu_timer *timer, struct kg_error *err);
void kg_gpu_timer_close(struct kg_gpu_timer *timer);

/* Keeps all multiprocessors busy with kgate's own work until the clock, read on the device,
 * is steady: an idle device takes a while to raise it. In a new process that takes at least
 * 50 ms, because the clock may not have begun to rise; after that 10 ms. It never takes more
 * than 250 ms. */
bool kg_gpu_warm(struct kg_gpu_timer *timer, struct kg_error *err);

/* What is timed: `run` is handed `state` and puts its work on the timer's stream. */
struct kg_gpu_call {
    void (*run)(void *state);
    void *state;
};

/* How a call can be timed, found by trying it: four times where it takes long, up to a hundred
 * times where it is short. It is also recorded once, which fails where it waits for the device. */
struct kg_gpu_call_timing {
    bool synchronises;   /* `run` waits for the device, as far as can be told: it neither returns
                            while the stream is held nor can be recorded */
    uint64_t held_calls; /* that can be put on the stream while it is held. 0: not even one, since
                            it synchronises, is more launches than the driver's queue takes or takes
                            the host too long: its time includes what the host does meanwhile */
    bool capturable;     /* into a CUDA graph */
    bool empty;          /* the graph has nothing in it: there is nothing to time */
    char why_not[256];   /* where not capturable: why, what the driver said */
    double call_ns;      /* host time of a call until the device is done */
    double gpu_ns;       /* device time of a call, first impression */
    double launch_ns;    /* host time of `run` alone */
};
bool kg_gpu_call_timing_find(struct kg_gpu_timer *timer, const struct kg_gpu_call *call,
                             struct kg_gpu_call_timing *call_timing, struct kg_error *err);

/* One sample. Times are of one call: the mean of those timed together.
 * time_ns      by the device's clock, less the timer's overhead; of kg_gpu_wall by the host's clock
 * launch_ns    host time to launch the calls
 * cpu_ns       CPU time of all threads of the process: to launch the calls, and to wait for them
 *              where the call itself waits. Of kg_gpu_wall with the wait for the device, which
 *              spins
 * sm_clock_hz  during the sample, by the device's own counters; NaN where they cannot be read, or
 *              the sample is too short: the stamps of several samples may then give a clock
 * held         all calls were launched before the first of them ran */
struct kg_gpu_sample {
    double time_ns;
    double launch_ns;
    double cpu_ns;
    double sm_clock_hz;
    bool held;
};

/* Times one call with the L2 cache flushed before. hold: behind a hold. */
bool kg_gpu_cold(struct kg_gpu_timer *timer, const struct kg_gpu_call *call, bool hold,
                 struct kg_gpu_sample *sample, struct kg_error *err);
/* Times `batch` calls back to back. The hold ends when held_calls of them are launched, or after a
 * while: the device is then busy for longer than the host needs to stay ahead, unless calls are
 * launch-bound (gpu_plan.h).
 * held_calls  at most KG_GPU_HELD_MOST; 0: no hold */
bool kg_gpu_hot(struct kg_gpu_timer *timer, const struct kg_gpu_call *call, uint64_t batch,
                uint64_t held_calls, struct kg_gpu_sample *sample, struct kg_error *err);

/* A recording of `calls` calls. */
struct kg_gpu_graph {
    void *executable;
    uint64_t calls;
    size_t nodes; /* what there is in it */
};
/* Records calls by thread-local capture, in which a call that cannot be recorded fails. Relaxed
 * capture would let a call free memory that its kernels still use when they are replayed. Where it
 * fails, the stream is usable again; err says what the driver said. */
bool kg_gpu_graph_record(struct kg_gpu_timer *timer, const struct kg_gpu_call *call, uint64_t calls,
                         struct kg_gpu_graph *graph, struct kg_error *err);
/* Times `replays` of it back to back. */
bool kg_gpu_graph_time(struct kg_gpu_timer *timer, const struct kg_gpu_graph *graph,
                       uint64_t replays, struct kg_gpu_sample *sample, struct kg_error *err);
void kg_gpu_graph_free(struct kg_gpu_timer *timer, struct kg_gpu_graph *graph);

/* One call by the host's clock, until the device is done. */
bool kg_gpu_wall(struct kg_gpu_timer *timer, const struct kg_gpu_call *call,
                 struct kg_gpu_sample *sample, struct kg_error *err);
