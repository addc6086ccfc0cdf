/* fake_cuda.h: a CUDA driver for tests, without a device. It keeps what the real one documents,
 * strictly: what that calls undefined is counted as misuse here. Work happens in simulated time:
 * the device's clock follows the one that the test gives, at another rate and from another zero. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct fake_cuda_counts {
    unsigned events_created;
    unsigned events_destroyed;
    unsigned streams_created;
    unsigned streams_destroyed;
    unsigned synchronised; /* calls that wait for the device, whatever for */
    unsigned misuse;       /* handles that are not, or no longer, any */
    unsigned captures_broken;
    unsigned pushed; /* contexts, and not popped again */
};

/* What a test does with it. Contexts are current on the calling thread. */
struct fake_cuda {
    struct fake_cuda_counts *counts;
    /* Forgets everything. now_ns: the host's clock; the device's is offset_ns + rate * now_ns(). */
    void (*restart)(uint64_t (*now_ns)(void), double rate, double offset_ns);
    void *(*context_new)(void);
    void (*context_use)(void *context); /* makes it current; NULL: none */
    void (*context_end)(void *context);
    void (*context_reset)(void *context); /* ends it; another has the same handle */
    void *(*stream_new)(void);
    void (*launch)(void *stream,
                   double ns);             /* work of that length after all that is on the stream */
    void (*hold)(void *stream, bool held); /* what was and will be put on it is not seen to end */
    void (*stall)(bool stalled);           /* the same for streams of cuStreamCreate, all of them */
    void (*capture)(void *stream, bool captured); /* in the global mode */
    /* The next `times` calls of a function, NULL: of any, return the code. */
    void (*refuse)(const char *function, int code, unsigned times);
    /* Whether the calling thread's mode of capture is the one that it began with. */
    bool (*strict)(void);
    /* When, on the host's clock, an event happens that was recorded. */
    double (*event_host_ns)(void *event);
};

/* Exported under this name. */
const struct fake_cuda *fake_cuda(void);
