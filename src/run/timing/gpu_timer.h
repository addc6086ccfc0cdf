/* gpu_timer.h: a worker process's access to its GPU: the primary context, a stream of kgate's own,
 * and a timer that uses the device's own clock. One per process; its first thread only.
 *
 * The host puts all parts of a sample on the stream before any part runs, in this order:
 *
 *     flush of L2 (cold only), hold, stamps, start event, calls, stop event, stamps.
 *
 * Then the host releases the hold and waits. The hold is a blocking kernel: it waits for the host to
 * write a word. So the host's launching time lies before the start event. The hold ends by itself
 * after a tenth of a second. If a call waits for the device, or the queue of launches is full, the
 * sample lasts until then, and nothing hangs. The sample shows whether its hold ran out. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "device/code/timing.h"
#include "device/driver.h"

/* gpu_clock.c: the clock of a multiprocessor. A tiny kernel reads its cycle counter and the device's
 * timer before and after the work. Needs no privilege. Pure functions; thread-safe. */

enum { KG_STAMPS_MOST = 256 };

/* The readings of one launch, one per block. The device writes `of`, in page-locked memory. */
struct kg_stamps {
    uint64_t number; /* number of the launch: readings with another number are old */
    size_t count;    /* blocks launched, at most KG_STAMPS_MOST */
    struct kg_stamp of[KG_STAMPS_MOST];
};

/* The least time between two launches for a clock with an error below half a percent. The kernel
 * polls the timer, so it reads the counter up to 50 ns after the timer's step. */
#define KG_STAMPS_LEAST_NS 20e3

/* The clock in Hz between two launches. It is the median over the multiprocessors that read both
 * launches at a step of the timer. Other readings may be off by a whole step, and are not used.
 * least_ns  least time between the two launches;
 * returns   NaN if no multiprocessor has two such readings, or if the launches are closer */
double kg_stamps_clock_hz(const struct kg_stamps *before, const struct kg_stamps *after,
                          double least_ns);

enum kg_gpu_stamps { KG_STAMPS_BEFORE, KG_STAMPS_AFTER, KG_STAMPS_COUNT };

/* Host memory that the device reads and writes too: page-locked and mapped. */
struct kg_gpu_shared {
    struct kg_gate gate;
    struct kg_stamps stamps[KG_STAMPS_COUNT]; /* of the last sample */
    float never;                              /* target of kg_busy's write, which never happens */
};

struct kg_gpu_timer {
    struct kg_driver driver;
    int device; /* the process's only one: the worker is started with CUDA_VISIBLE_DEVICES */
    void *context;
    void *stream; /* waits for the legacy default stream, which also waits for this stream */
    void *module; /* of src/device/code/timing.cu */
    void *hold_function, *stamp_function, *empty_function, *busy_function, *clean_function;
    void *start, *stop; /* events */
    struct kg_gpu_shared *shared;
    uint64_t shared_address;
    uint32_t held;          /* number of the last hold */
    bool warm;              /* kg_gpu_warm has finished once */
    unsigned unsteady;      /* times in a row that kg_gpu_warm found no steady clock */
    bool holds;             /* whether a hold works at all: not if launches wait for the device */
    uint64_t stamped;       /* number of the last stamps */
    uint64_t flush_address; /* flush_bytes to write, and after them as many zeros to read */
    size_t flush_bytes;     /* twice the L2 cache */
    int multiprocessors;
    double resolution_ns; /* smallest observed step between event times, at least 1 */
    double overhead_ns;   /* median time of events around nothing, on a warm device; kgate subtracts
                            it from all times */
};

/* Opens the driver (`library`, else KG_DRIVER_LIBRARY), retains the primary context of device 0, and
 * makes it current. Prepares all fields above and warms the device (kg_gpu_warm). Removes
 * CUDA_LAUNCH_BLOCKING from the environment: users set it for their own programs, and it would make
 * launches wait. If a tool such as compute-sanitizer makes launches wait, the timer uses no hold. A
 * failure leaves nothing to free; err is KG_ERROR_MEASURE with the reason. */
bool kg_gpu_timer_open(const char *library, struct kg_gpu_timer *timer, struct kg_error *err);
void kg_gpu_timer_close(struct kg_gpu_timer *timer);

/* Keeps all multiprocessors busy with kgate's own work until the clock, read on the device, is
 * steady: an idle device raises its clock slowly. The first time in a process takes at least 50 ms,
 * because the clock may not have begun to rise. Later times take at least 10 ms. The limit is
 * kg_gpu_busy_most_ns. */
bool kg_gpu_warm(struct kg_gpu_timer *timer, struct kg_error *err);

/* The timed call: `run` gets `state` and puts its work on the timer's stream. */
struct kg_gpu_call {
    void (*run)(void *state);
    void *state;
};

/* How a call can be timed. kgate finds it by trying: long calls four times, short calls up to a
 * hundred times. It also captures one call, which fails if the call waits for the device. */
struct kg_gpu_call_timing {
    bool synchronises;   /* `run` probably waits for the device: it does not return during a hold,
                            and cannot be captured */
    uint64_t held_calls; /* number of calls that fit behind one hold. 0: none, because the call
                            synchronises, exceeds the driver's queue, or takes the host too long;
                            its time then includes the host's work */
    bool capturable;     /* a CUDA graph can capture the call */
    bool empty;          /* the graph is empty: there is nothing to time */
    char why_not[256];   /* the driver's reason, if not capturable */
    double call_ns;      /* host time of a call until the device is done */
    double gpu_ns;       /* device time of a call, first estimate */
    double launch_ns;    /* host time of `run` alone */
};
bool kg_gpu_call_timing_find(struct kg_gpu_timer *timer, const struct kg_gpu_call *call,
                             struct kg_gpu_call_timing *call_timing, struct kg_error *err);

/* One sample. Its times are means per call.
 * time_ns      time by the device's clock, without the timer's overhead; kg_gpu_wall: by the host's
 *              clock;
 * launch_ns    host time to launch the calls;
 * cpu_ns       CPU time of all threads of the process for launching, and for the call's own waits;
 *              kg_gpu_wall: also for its wait for the device, which spins;
 * sm_clock_hz  clock during the sample, by the device's own counters; NaN if unreadable, or if the
 *              sample is too short: the stamps of several samples may then give a clock;
 * held         all calls were launched before the first call ran */
struct kg_gpu_sample {
    double time_ns;
    double launch_ns;
    double cpu_ns;
    double sm_clock_hz;
    bool held;
};

/* Times one call after a flush of the L2 cache. hold: behind a hold. */
bool kg_gpu_cold(struct kg_gpu_timer *timer, const struct kg_gpu_call *call, bool hold,
                 struct kg_gpu_sample *sample, struct kg_error *err);
/* Times `batch` calls back to back. The hold ends after held_calls launches, or after a while. The
 * host then stays ahead of the device, unless calls are launch-bound (gpu_plan.h).
 * held_calls  at most KG_GPU_HELD_MOST; 0: no hold */
bool kg_gpu_hot(struct kg_gpu_timer *timer, const struct kg_gpu_call *call, uint64_t batch,
                uint64_t held_calls, struct kg_gpu_sample *sample, struct kg_error *err);

/* A captured graph of `calls` calls. */
struct kg_gpu_graph {
    void *executable;
    uint64_t calls;
    size_t nodes; /* number of its nodes */
};
/* Captures calls in thread-local mode, in which an unsuitable call fails. In relaxed mode a call could
 * free memory that its replayed kernels still use. After a failure the stream is usable again; err
 * has the driver's message. */
bool kg_gpu_graph_record(struct kg_gpu_timer *timer, const struct kg_gpu_call *call, uint64_t calls,
                         struct kg_gpu_graph *graph, struct kg_error *err);
/* Times `replays` replays of the graph, back to back. */
bool kg_gpu_graph_time(struct kg_gpu_timer *timer, const struct kg_gpu_graph *graph,
                       uint64_t replays, struct kg_gpu_sample *sample, struct kg_error *err);
void kg_gpu_graph_free(struct kg_gpu_timer *timer, struct kg_gpu_graph *graph);

/* Times one call by the host's clock, until the device is done. */
bool kg_gpu_wall(struct kg_gpu_timer *timer, const struct kg_gpu_call *call,
                 struct kg_gpu_sample *sample, struct kg_error *err);
