/* fake_cuda_state.h: what the files of the fake driver share. */
#pragma once
#include <stddef.h>

#include "fake_cuda.h"

#define EXPORT __attribute__((visibility("default")))

enum fake_code {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    INVALID_CONTEXT = 201,
    INVALID_HANDLE = 400,
    NOT_FOUND = 500,
    NOT_READY = 600,
    ILLEGAL_ADDRESS = 700,
    CONTEXT_IS_DESTROYED = 709,
    CAPTURE_UNSUPPORTED = 900,
    CAPTURE_INVALIDATED = 901,
    CAPTURE_IMPLICIT = 906,
};

struct fake_graph;
struct fake_event;

struct fake_context {
    bool alive;
    unsigned long long id;
};

struct fake_stream {
    bool alive;
    bool ours; /* made by cuStreamCreate, not by the test */
    bool blocking;
    bool captured;                /* by the test */
    bool held;                    /* by the test */
    unsigned long long context;   /* its id */
    double busy_until;            /* on the device's clock */
    struct fake_operation *queue; /* what waits for a hold, its first */
    size_t queued, queue_room;
    struct fake_graph *recording; /* of cuStreamBeginCapture */
    bool recording_broken;
};

enum fake_kind { KIND_EVENT, KIND_HOLD, KIND_STAMP, KIND_WORK, KIND_BUSY, KIND_FAULT };

/* Something put on a stream. */
struct fake_operation {
    enum fake_kind kind;
    double enqueued; /* on the device's clock; it can begin some time after that */
    double begun;    /* of a hold, when it was first looked at; else 0 */
    double gap_ns;   /* before it, after what was there */
    double ns;       /* it takes */
    double cold_ns;  /* KIND_WORK: more, where the L2 cache was flushed since it last ran */
    bool flushes;    /* the L2 cache, and leaves it full of what is to be written back */
    bool cleans;     /* has that written back */
    bool follows;    /* another of the same graph */
    void *memory;    /* that a hold waits for, or stamps are written to */
    uint64_t number; /* of the hold or the stamps */
    uint64_t limit;  /* of the hold in ns, of the stamps in cycles */
    unsigned blocks; /* of the stamps */
    struct fake_event *event;
};

struct fake_event {
    bool alive;
    bool recorded;
    bool pending; /* behind a hold */
    unsigned long long context;
    const struct fake_stream *stream;
    double time;
};

/* What is on the host's and the device's clock now; letting time pass, by
 * waiting where it is real. */
double fake_device_now(void);
void fake_pass(double device_ns);
bool fake_time_is_real(void);

/* A code that this call is told to return, or that all have to since the device failed. */
int fake_failing(const char *function);
void fake_fault(int code);
int fake_fault_code(void);
int fake_misused(void);
int fake_waited(void); /* counts a call that waits for the device */

#define FAIL_IF_TOLD()                                                                             \
    do {                                                                                           \
        const int code_ = fake_failing(__func__);                                                  \
        if (code_)                                                                                 \
            return code_;                                                                          \
    } while (0)

struct fake_context *fake_current(void);
struct fake_stream *fake_stream_of(void *handle);
struct fake_stream *fake_stream_next(struct fake_stream *stream); /* NULL: the first */
bool fake_stream_is_default(const struct fake_stream *stream);

bool fake_stream_hidden(const struct fake_stream *stream); /* by the test */
bool fake_context_alive(unsigned long long id);
double fake_host_ns(double device_ns); /* the same on the host's clock */

/* Whether the test records a stream, in a mode that this call breaks. */
bool fake_capture_broken(void);
#define FAIL_IF_CAPTURED()                                                                         \
    do {                                                                                           \
        if (fake_capture_broken())                                                                 \
            return CAPTURE_UNSUPPORTED;                                                            \
    } while (0)

/* --- fake_cuda_event.c --- */

void fake_events_restart(void);
double fake_event_host_ns(void *event);

/* --- fake_cuda_queue.c --- */

void fake_queue_restart(void);
/* Puts it behind what is there, of the stream and of those that it waits for. The time it takes to
 * be put there passes. */
void fake_put(struct fake_stream *stream, struct fake_operation operation);
/* Sees which holds have ended. */
void fake_look(struct fake_stream *stream);
/* Waits until all is done. */
void fake_wait(struct fake_stream *stream);
void fake_wait_for_all(void);
/* Forgets what waits. */
void fake_queue_drop(struct fake_stream *stream);
void fake_clock_set(double sm_clock_hz);

/* --- fake_cuda_work.c and fake_cuda_graph.c --- */

void fake_work_restart(void);
void fake_graphs_restart(void);

/* What cuLaunchKernel was given. */
struct fake_launch {
    void *function;
    unsigned grid[3], block[3], shared_bytes;
};
struct fake_copy {
    const void *source;
    void *target;
    size_t bytes;
    bool source_is_host, target_is_host;
};
/* While the stream is recorded: adds a node and returns true. A copy or a launch may be NULL. */
bool fake_record(struct fake_stream *stream, const struct fake_operation *operation,
                 const struct fake_launch *launch, const struct fake_copy *copy);
/* For what cannot be done while any stream is recorded: breaks the
 * recording; the code to return. */
int fake_recording_break(void);

#define FAIL_IF_RECORDING()                                                                        \
    do {                                                                                           \
        const int code_ = fake_recording_break();                                                  \
        if (code_)                                                                                 \
            return code_;                                                                          \
    } while (0)
