/* fake_cuda.h: a CUDA driver for tests, without a device. It keeps what the real one documents,
 * strictly: what that calls undefined is counted as misuse here. Work happens in simulated time:
 * the device's clock follows the one that the test gives, at another rate and from another zero.
 * A process that gives none has the real one, and waits for work as long as it is said to take.
 *
 * Functions by name, whatever the module's image is:
 *   kg_hold, kg_stamp, kg_busy  do what src/device/code/timing.cu says, by the simulated clocks
 *   kg_clean                    has written back what is dirty in the L2 cache
 *   kg_ceiling_read             takes its time by the bytes it reads, twice that with L2 flushed
 *   work                        takes its first parameter, a double, in ns, and its second one more
 *                               where the L2 cache was flushed since it last ran
 *   pick16                      (int n, T a, const T *x, T *y) of a T of 16 bits: y[i] is x[i] or a, in turn
 *   saxpy                       does what its name says, if it is not recorded; of PTX with the word
 *                               "slower" it takes twice its time
 *   fault                       an illegal address: all calls fail from then on
 *   hang                        never ends
 *   any other kg_ name          takes a microsecond */
#pragma once
#include <stdbool.h>
#include <stddef.h>
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
    unsigned memory_live, host_live, modules_live, graphs_live, executables_live; /* not freed */
    unsigned launches;  /* kernels, by cuLaunchKernel */
    unsigned blocked;   /* launches that had to wait, the queue being full */
    unsigned timed_out; /* holds */
};

/* What the simulated device is like; may be changed at any time. */
struct fake_cuda_device {
    double launch_host_ns; /* that a launch takes the host; passes only in simulated time */
    double latency_ns;     /* from a launch to its begin on an idle device */
    double gap_ns;         /* between kernels */
    double graph_gap_ns;   /* between those of a graph */
    double event_ns;       /* that an event takes, at the nominal clock */
    double event_step_ns;  /* in which events are read; 0: finely */
    double timer_step_ns;  /* of the device's timer as kernels read it */
    double dirty_ns;       /* that "work" takes longer where the L2 cache is full of what a fill of
                                much memory wrote, and kg_clean has not been since */
    double nominal_clock_hz; /* at which "work" takes the time it is told */
    double memset_bytes_per_ns;
    double copy_bytes_per_ns;
    size_t queue_most; /* operations that wait for the device before a launch does, too */
    size_t memory_bytes;
    bool lazy;            /* functions are loaded when they are launched first, which waits for
                             the device */
    bool blocking;        /* launches wait for what they launch */
    bool nodes_by_kernel; /* graphs give kernels instead of functions */
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
    struct fake_cuda_device *device;
    /* How simulated time passes while a call waits: by so much on the host's clock. Without it,
     * calls really wait. To be said after each restart. */
    void (*pass_by)(void (*pass)(double host_ns));
    /* The clock of the multiprocessors from now on: "work" takes as many cycles as before. */
    void (*clock_set)(double sm_clock_hz);
    /* One call, after `calls` of any function that can be refused, returns the code; whether it has
     * come to that. */
    void (*refuse_later)(unsigned calls, int code);
    bool (*refused)(void);
};

/* Exported under this name. */
const struct fake_cuda *fake_cuda(void);
