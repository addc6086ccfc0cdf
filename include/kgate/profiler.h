/**
 * @file profiler.h
 * @brief Where a program's time goes: scopes with names, on the CPU and on CUDA streams.
 *
 * @code
 * #include <kgate/profiler.h>
 *
 * void forward(struct model *model)
 * {
 *     KGATE_FUNCTION();
 *     for (int i = 0; i < model->layers; i++) {
 *         KGATE_SCOPE("layer");
 *         …
 *     }
 * }
 * @endcode
 *
 * Run as `KGATE_PROFILE=run.kgprof ./program`, and read with `kgate report run.kgprof --format
 * tree`; or start, stop and print from the program itself, with the functions below. Nothing is
 * recorded until one of the two turns it on.
 *
 * A scope costs two readings of the processor's time stamp counter and a few stores into a buffer
 * of its own thread: no lock, no allocation, no system call, but for one write when a buffer is
 * full (which is itself recorded, as the scope "(profiler)"). Disabled, it costs one load and one
 * branch; with KGATE_NO_PROFILER defined before this header, nothing at all.
 *
 * All functions are thread-safe unless they say otherwise; none is for signal handlers. A site must
 * live until the last scope of it has ended, its strings are copied. Usable from C11, C++11 and
 * CUDA C. */
#ifndef KGATE_PROFILER_H
#define KGATE_PROFILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "kgate/device.h"

#ifdef __cplusplus
extern "C" {
#endif
/* The library itself is built with everything else hidden. */
#pragma GCC visibility push(default)

/** A profiler: the process-wide one, or one of #kgate_profiler_new. */
struct kgate_profiler;
/** What a thread records into; the library's own. */
struct kgate_profiler_thread;

/** What a scope does with its time. */
enum kgate_scope_kind {
    KGATE_SCOPE_COMPUTE = 0,
    KGATE_SCOPE_TRANSFER = 1, /**< its time counts as transfer time */
    KGATE_SCOPE_PROFILER = 2, /**< the profiler's own: its time counts as overhead */
    KGATE_SCOPE_WAIT = 3,     /**< its time is waiting: for other threads, the device, a lock */
    KGATE_SCOPE_PARALLEL = 4  /**< a parallel region, with a scope around what each thread does in
                                 it: what of its time is in no scope of the same thread goes to
                                 starting and joining threads, and to waiting for the slowest */
};

/** A place in a program that makes scopes. Static, one for each place; the macros make it. */
struct kgate_site {
    const char *name;
    const char *backend; /**< "openmp", "cublas", …; NULL where there is nothing to say */
    const char *file;    /**< may be NULL */
    unsigned line;
    enum kgate_device device;
    enum kgate_scope_kind kind;
    unsigned id; /**< 0 at first; the library's own */
};

/** A scope that has begun. A value of zeros is one that is not recorded. */
struct kgate_scope {
    struct kgate_profiler_thread *thread;
    uint32_t depth;
    uint32_t serial;
};

/** Which scopes a sampling profiler leaves out. */
enum kgate_sampling {
    KGATE_SAMPLE_REQUESTS = 0, /**< outermost scopes, each with everything inside: whole requests */
    KGATE_SAMPLE_SCOPES = 1 /**< each scope by itself; one whose parent was left out is recorded as
                                 a child of the nearest that was not */
};

/** What a profiler is to do; zeros are good defaults. */
struct kgate_profiler_options {
    /**
     * The recording's path, "run.kgprof"; NULL: a temporary file without a name. "%p" in it becomes
     * the process's number, and then a forked child records too, into a file of its own; without, a
     * child records nothing. A file that is there is replaced; where another recording is being
     * written to it, this one goes to "PATH.PROCESS". */
    const char *path;
    const char *label; /**< what this process did, for reports; may be NULL */
    double sample;     /**< share of requests or scopes recorded, above 0 up to 1; 0 is 1 */
    enum kgate_sampling sampling; /**< what `sample` is a share of */
    unsigned buffer_entries;      /**< of each thread; 64 to 2^20, a power of two; 0 is 1024 */
    uint64_t file_bytes_most;     /**< entries beyond are dropped and counted; 0 is 4 GiB */
    bool drop_when_full; /**< a full buffer drops entries (and counts them) until somebody calls
                              #kgate_profiler_flush; otherwise its thread writes it to the file */
    bool cpu_time;       /**< records each scope's CPU time too: two system calls, some 700 ns */
    bool nvtx;           /**< emits NVTX ranges too; done by itself under Nsight Systems */
};

/** What was not recorded, and why. */
struct kgate_profile_losses {
    uint64_t dropped;     /**< entries that found a full buffer, a full disk, or the file's limit */
    uint64_t too_deep;    /**< scopes nested more than 128 deep, or of more than 65,535 paths */
    uint64_t unbalanced;  /**< ends without a beginning */
    uint64_t unfinished;  /**< scopes ended by the end of an outer one or of their thread; these are
                               recorded, up to then */
    uint64_t sampled_out; /**< left out by sampling: requests or scopes */
    uint64_t gpu_dropped; /**< GPU times that were not taken: too many at once, or a CUDA error */
};

/* --- The process-wide profiler ---------------------------------------------------------------- */

/** Not 0 while the process-wide profiler records. Read by the macros;
 * set by the functions below. */
extern int kgate_profiling;

/** Whether KGATE_PROFILE in the environment means nothing: a program that defines it as true starts
 * the profiler itself. */
extern bool kgate_profiler_ignores_environment;

/**
 * Starts the process-wide profiler. The environment variable KGATE_PROFILE=PATH does the same
 * before `main`; a PATH that ends in .json, .trace.json, .folded, .csv or .txt is written at the
 * process's end in that format, from PATH.kgprof, which a crash leaves behind.
 * @param options may be NULL
 * @param message where a failure is described, in one sentence; may be NULL
 * @return false where it runs already, options are impossible, or the file cannot be made */
bool kgate_profiler_start(const struct kgate_profiler_options *options, char message[256]);

/**
 * Stops recording and writes what the buffers hold. Results stay until the next start. Scopes that
 * are open on other threads are lost, their closed ones are not. Called at the process's end by
 * itself. */
void kgate_profiler_stop(void);

/* --- Instances -------------------------------------------------------------------------------- */

/**
 * A profiler of one's own, recording from now on; at most seven at a time.
 * @return NULL with `message`, as #kgate_profiler_start */
struct kgate_profiler *kgate_profiler_new(const struct kgate_profiler_options *options,
                                          char message[256]);

/** Ends it; NULL is ignored. No scope of it may be open, and no other thread may use it
 * any more. */
void kgate_profiler_free(struct kgate_profiler *profiler);

/** Pauses (false) or resumes recording; NULL is the process-wide profiler. Cheap. Scopes that are
 * open are recorded when they end. Resuming a profiler that was never started does nothing. */
void kgate_profiler_enable(struct kgate_profiler *profiler, bool enabled);

/** Writes what all threads' buffers hold to the recording; NULL is the process-wide profiler.
 * @return false where the file could not take it: a full disk, the limit; counted as dropped */
bool kgate_profiler_flush(struct kgate_profiler *profiler);

/* --- Scopes ----------------------------------------------------------------------------------- */

/**
 * Begins a scope inside the thread's innermost open one. For callbacks and other languages; blocks
 * are better served by the macros.
 * @param profiler NULL is the process-wide one
 * @param site     where; static, because scopes are told apart by its address
 * @param bytes    what the scope reads and writes, for its bandwidth; 0: not known */
struct kgate_scope kgate_scope_begin(struct kgate_profiler *profiler, struct kgate_site *site,
                                     uint64_t bytes);

/** The same for names that are made at run time: slower by a look-up. Strings are copied.
 * @param backend may be NULL */
struct kgate_scope kgate_scope_begin_named(struct kgate_profiler *profiler, const char *name,
                                           enum kgate_device device, const char *backend,
                                           uint64_t bytes);

/** The same with the time on the GPU: an event on `stream` now and one at the end, whose times are
 * collected later, without waiting for the device. Without a driver or a context a plain scope.
 * @param stream a cudaStream_t or CUstream; NULL is the default stream */
struct kgate_scope kgate_scope_begin_cuda(struct kgate_profiler *profiler, struct kgate_site *site,
                                          void *stream, uint64_t bytes);

/** Ends a scope, on the thread that began it, and with it those inside that are still open (counted
 * as unfinished). Ending it twice, or on another thread, does nothing but count it as
 * unbalanced. */
void kgate_scope_finish(struct kgate_scope *scope);

/** What the thread's innermost open scope reads and writes, where it is known only later; 0:
 * nothing to say. */
void kgate_scope_bytes(struct kgate_profiler *profiler, uint64_t bytes);

/** Calls function(argument) inside a scope. */
void kgate_profile_call(struct kgate_profiler *profiler, const char *name,
                        void (*function)(void *argument), void *argument);

/** A scope that may end on another thread than it began on, and need not nest: a request handed
 * from queue to queue. */
struct kgate_span {
    uint64_t start;
    uint64_t bytes;
    struct kgate_profiler *profiler;
    uint32_t site; /**< 0: not recorded, or ended */
    uint32_t recording;
};
/** Begins a span, named as kgate_scope_begin_named. */
struct kgate_span kgate_span_begin(struct kgate_profiler *profiler, const char *name,
                                   uint64_t bytes);
/** Ends it; a second time does nothing. Its entry belongs to the thread that ends it. */
void kgate_span_end(struct kgate_span *span);

/** Tells of memory that was allocated, or released, by this thread: scopes then know how much they
 * allocated and their peak. Preloading libkgate_memory.so does it for malloc and its kin. */
void kgate_memory_allocated(uint64_t bytes);
void kgate_memory_released(uint64_t bytes);

/** Names the calling thread in reports, at most 31 bytes; copied. */
void kgate_thread_name(const char *name);

/* --- Results ---------------------------------------------------------------------------------- */

/** The figures of all scopes of one path (or one name). Times in nanoseconds. */
struct kgate_scope_statistics {
    const char *name;
    size_t parent;   /**< index of the scope around it; its own index for an outermost one */
    unsigned depth;  /**< 0 for an outermost one */
    uint64_t calls;  /**< recorded */
    double total_ns; /**< of all calls, on all threads; of a name, without calls inside itself */
    double self_ns;  /**< without the scopes inside */
    double mean_ns;
    double min_ns;
    double max_ns;
    double standard_deviation_ns;
    double p50_ns; /**< quantiles are right within 1 % */
    double p95_ns;
    double p99_ns;
    double share;             /**< of the time of all outermost scopes */
    double gpu_ns;            /**< on the GPU, here and inside, without transfers */
    double transfer_ns;       /**< in transfers, likewise */
    double cpu_ns;            /**< CPU time; NaN where not recorded */
    double overhead_ns;       /**< the profiler's own time, estimated, inside */
    uint64_t allocated_bytes; /**< of all calls; of a name, without calls inside itself */
    uint64_t peak_bytes;      /**< of the worst call, beyond what it began with */
    double gpu_utilization;   /**< share of its time that the GPU worked for it; NaN without GPU
                                 times, and where the scope only launched its work */
    double bytes_per_second;  /**< NaN where no bytes were given */
};

/** What a profile holds. One owner: free with #kgate_profile_results_free. */
struct kgate_profile_results {
    struct kgate_scope_statistics *paths; /**< by nesting: a scope comes before those inside it */
    size_t path_count;
    struct kgate_scope_statistics *names; /**< by name, largest total first; parent and depth 0 */
    size_t name_count;
    double wall_ns; /**< from the first beginning to the last end */
    struct kgate_profile_losses losses;
    void *owner; /**< the library's own */
};

/** The figures so far; NULL profiler is the process-wide one.
 * @return NULL with `message` (may be NULL) where nothing was started or memory is out */
struct kgate_profile_results *kgate_profiler_results(struct kgate_profiler *profiler,
                                                     char message[256]);
void kgate_profile_results_free(struct kgate_profile_results *results);

/** Formats of #kgate_profiler_write. */
enum kgate_profile_format {
    KGATE_PROFILE_TABLE,  /**< calls, total, average, least, most, share; by total */
    KGATE_PROFILE_TREE,   /**< the same by nesting */
    KGATE_PROFILE_JSON,   /**< kgate.profile.v1 */
    KGATE_PROFILE_TRACE,  /**< Chrome's trace events: Perfetto, chrome://tracing */
    KGATE_PROFILE_FOLDED, /**< collapsed stacks, nanoseconds: flamegraph.pl, speedscope */
    KGATE_PROFILE_CSV     /**< a line for each entry */
};

/**
 * Writes a report of what was recorded so far, streaming: memory does not grow with the entries.
 * @param profiler NULL is the process-wide one
 * @param path     replaced only once it is complete; "-" is standard output
 * @param limit    rows of a table or tree, 0: all; other formats ignore it */
bool kgate_profiler_write(struct kgate_profiler *profiler, enum kgate_profile_format format,
                          const char *path, size_t limit, char message[256]);

/** The same to an open file, which stays open. */
bool kgate_profiler_print(struct kgate_profiler *profiler, enum kgate_profile_format format,
                          FILE *file, size_t limit, char message[256]);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

/* --- Macros ----------------------------------------------------------------------------------- */

#define KGATE_PROFILER_JOIN_(a, b) a##b
#define KGATE_PROFILER_JOIN(a, b) KGATE_PROFILER_JOIN_(a, b)

/** Ends a scope at the end of its block: what the macros use. */
static inline void kgate_scope_end(struct kgate_scope *scope)
{
    if (__builtin_expect(scope->thread != NULL, 0))
        kgate_scope_finish(scope);
}

#ifdef KGATE_NO_PROFILER

#define KGATE_SCOPE(name) ((void)0)
#define KGATE_SCOPE_ON(name, device, backend, bytes) ((void)0)
#define KGATE_SCOPE_OF_KIND(name, kind, device, backend, bytes) ((void)0)
#define KGATE_SCOPE_WAITING(name) ((void)0)
#define KGATE_SCOPE_PARALLEL_REGION(name) ((void)0)
#define KGATE_SCOPE_CUDA(name, stream, bytes) ((void)0)
#define KGATE_SCOPE_TRANSFER_CUDA(name, stream, bytes) ((void)0)
#define KGATE_FUNCTION() ((void)0)

#else

#ifdef __cplusplus
/** Ends a scope at the end of its block: what the macros use in C++. */
struct kgate_scope_guard {
    struct kgate_scope scope;
    explicit kgate_scope_guard(struct kgate_scope begun) : scope(begun)
    {
    }
    ~kgate_scope_guard()
    {
        kgate_scope_end(&scope);
    }
    kgate_scope_guard(const kgate_scope_guard &) = delete;
    kgate_scope_guard &operator=(const kgate_scope_guard &) = delete;
};
#define KGATE_PROFILER_GUARD(id, begin)                                                            \
    struct kgate_scope_guard KGATE_PROFILER_JOIN(kgate_scope_, id) {                               \
        __builtin_expect(__atomic_load_n(&kgate_profiling, __ATOMIC_RELAXED), 0) ? (begin)         \
                                                                                 : kgate_scope()   \
    }
#else
#define KGATE_PROFILER_GUARD(id, begin)                                                            \
    struct kgate_scope KGATE_PROFILER_JOIN(kgate_scope_, id)                                       \
        __attribute__((cleanup(kgate_scope_end), unused)) =                                        \
            __builtin_expect(__atomic_load_n(&kgate_profiling, __ATOMIC_RELAXED), 0)               \
                ? (begin)                                                                          \
                : (struct kgate_scope)                                                             \
    {                                                                                              \
        NULL, 0, 0                                                                                 \
    }
#endif

#define KGATE_PROFILER_SITE(id) KGATE_PROFILER_JOIN(kgate_site_, id)
#define KGATE_PROFILER_PLACE(id, name, device, backend, kind)                                      \
    static struct kgate_site KGATE_PROFILER_SITE(id) = {(name),   (backend), __FILE__, __LINE__,   \
                                                        (device), (kind),    0}
#define KGATE_PROFILER_ON(id, name, kind, device, backend, bytes)                                  \
    KGATE_PROFILER_PLACE(id, name, device, backend, kind);                                         \
    KGATE_PROFILER_GUARD(id, kgate_scope_begin(NULL, &KGATE_PROFILER_SITE(id), (bytes)))
#define KGATE_PROFILER_CUDA(id, name, kind, stream, bytes)                                         \
    KGATE_PROFILER_PLACE(id, name, KGATE_DEVICE_CUDA, "cuda", kind);                               \
    KGATE_PROFILER_GUARD(id, kgate_scope_begin_cuda(NULL, &KGATE_PROFILER_SITE(id),                \
                                                    KGATE_PROFILER_STREAM(stream), (bytes)))

/* With `--default-stream per-thread` the default stream is another one: cudaStreamPerThread. */
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define KGATE_PROFILER_STREAM(stream) ((stream) ? (void *)(stream) : (void *)0x2)
#else
#define KGATE_PROFILER_STREAM(stream) ((void *)(stream))
#endif

/** A scope from here to the end of the block. `name` is a string literal. */
#define KGATE_SCOPE(name) KGATE_SCOPE_ON(name, KGATE_DEVICE_CPU, NULL, 0)

/** The same with its device, backend (a literal or NULL) and the bytes that it reads and writes. */
#define KGATE_SCOPE_ON(name, device, backend, bytes)                                               \
    KGATE_SCOPE_OF_KIND(name, KGATE_SCOPE_COMPUTE, device, backend, bytes)

/** The same of a kgate_scope_kind. */
#define KGATE_SCOPE_OF_KIND(name, kind, device, backend, bytes)                                    \
    KGATE_PROFILER_ON(__COUNTER__, name, kind, device, backend, bytes)

/** A scope whose time is waiting: around a barrier, a lock, cudaStreamSynchronize. */
#define KGATE_SCOPE_WAITING(name)                                                                  \
    KGATE_SCOPE_OF_KIND(name, KGATE_SCOPE_WAIT, KGATE_DEVICE_CPU, NULL, 0)

/** A scope around a parallel region, on the thread that starts it. What each thread does in there
 * has a scope of its own, which ends before the thread waits for the others:
 * the rest is overhead. */
#define KGATE_SCOPE_PARALLEL_REGION(name)                                                          \
    KGATE_SCOPE_OF_KIND(name, KGATE_SCOPE_PARALLEL, KGATE_DEVICE_CPU, NULL, 0)

/** The same, timed on a CUDA stream too. */
#define KGATE_SCOPE_CUDA(name, stream, bytes)                                                      \
    KGATE_PROFILER_CUDA(__COUNTER__, name, KGATE_SCOPE_COMPUTE, stream, bytes)

/** The same for a copy between host and device. */
#define KGATE_SCOPE_TRANSFER_CUDA(name, stream, bytes)                                             \
    KGATE_PROFILER_CUDA(__COUNTER__, name, KGATE_SCOPE_TRANSFER, stream, bytes)

/** A scope of the function's name, to its end. */
#define KGATE_FUNCTION() KGATE_SCOPE(__func__)

#endif
#endif
