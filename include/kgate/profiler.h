/**
 * @file profiler.h
 * @brief Times of a program's named scopes, on the CPU and on CUDA streams.
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
 * Run it as `KGATE_PROFILE=run.kgprof ./program`. Read the file with `kgate report run.kgprof
 * --format tree`. Or start, stop and print from the program itself, with the functions below. The
 * profiler records nothing until the variable or a function turns it on.
 *
 * A scope costs two readings of the processor's time stamp counter and a few stores into its
 * thread's own buffer. It takes no lock, allocates nothing and makes no system call. The exception
 * is one write when a buffer is full; the recording shows it as the scope "(profiler)". A disabled
 * scope costs one load and one branch. If KGATE_NO_PROFILER is defined before this header, scopes
 * cost nothing.
 *
 * All functions are thread-safe unless they say otherwise. Signal handlers must not call them. A
 * site must live until its last scope has ended; the profiler copies its strings. Usable from C11,
 * C++11 and CUDA C. */
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
/* The build hides all other symbols of the library. */
#pragma GCC visibility push(default)

/** A profiler: the process-wide one, or one of #kgate_profiler_new. */
struct kgate_profiler;
/** A thread's buffer and state; private to the library. */
struct kgate_profiler_thread;

/** How reports count a scope's time. */
enum kgate_scope_kind {
    KGATE_SCOPE_COMPUTE = 0,
    KGATE_SCOPE_TRANSFER = 1, /**< its time counts as transfer time */
    KGATE_SCOPE_PROFILER = 2, /**< the profiler's own: its time counts as overhead */
    KGATE_SCOPE_WAIT = 3,     /**< its time is waiting: for other threads, the device, a lock */
    KGATE_SCOPE_PARALLEL = 4, /**< a parallel region; each thread has a scope around its part. The
                                 starting thread's time outside its scopes is overhead: threads
                                 start, join, and wait for the slowest */
    KGATE_SCOPE_FUNCTION = 5  /**< as KGATE_SCOPE_COMPUTE. The name is the compiler's signature of a
                                 function; reports show "Class::method" of it */
};

/** A place in a program that makes scopes. Static, one for each place; the macros make it. */
struct kgate_site {
    const char *name;
    const char *backend; /**< "openmp", "cublas", …; NULL if there is none */
    const char *file;    /**< may be NULL */
    unsigned line;
    enum kgate_device device;
    enum kgate_scope_kind kind;
    unsigned id; /**< 0 at first; private to the library */
};

/** A scope that has begun. All zeros: a scope that the profiler does not record. */
struct kgate_scope {
    struct kgate_profiler_thread *thread;
    uint32_t depth;
    uint32_t serial;
};

/** The unit of sampling. */
enum kgate_sampling {
    KGATE_SAMPLE_REQUESTS = 0, /**< outermost scopes, each with all inner scopes: whole requests */
    KGATE_SAMPLE_SCOPES = 1    /**< each scope by itself; the parent of a scope is then its nearest
                                 recorded ancestor */
};

/** Settings of a profiler; zeros are good defaults. */
struct kgate_profiler_options {
    /**
     * The recording's path, "run.kgprof"; NULL: a temporary file without a name. The profiler
     * replaces "%p" by the process's number. A forked child then records into a file of its own;
     * without "%p" a child records nothing. The profiler replaces an existing file. If another
     * recording is being written to that file, this recording goes to "PATH.PROCESS". */
    const char *path;
    const char *label; /**< the process's task, for reports; may be NULL */
    double sample;     /**< share of requests or scopes recorded, above 0 up to 1; 0 is 1 */
    enum kgate_sampling sampling; /**< unit that `sample` counts */
    unsigned buffer_entries;      /**< per thread; 64 to 2^20, a power of two; 0 is 1024 */
    uint64_t file_bytes_most;     /**< entries beyond are dropped and counted; 0 is 4 GiB */
    bool drop_when_full; /**< a full buffer drops and counts entries until the program calls
                              #kgate_profiler_flush; otherwise its thread writes it to the file */
    bool cpu_time;       /**< records each scope's CPU time too: two system calls, some 700 ns */
    bool device_memory;  /**< reads the used memory of the device at both ends of scopes on CUDA
                              streams: a call of the driver each */
    bool nvtx;           /**< emits NVTX ranges too; automatic under Nsight Systems */
};

/** Numbers of losses, by reason. */
struct kgate_profile_losses {
    uint64_t dropped;     /**< entries that found a full buffer, a full disk, or the file's limit */
    uint64_t too_deep;    /**< scopes nested more than 128 deep, or of more than 65,535 paths */
    uint64_t unbalanced;  /**< ends without a beginning */
    uint64_t unfinished;  /**< scopes ended by the end of an outer scope or of their thread;
                               recorded, up to this end */
    uint64_t sampled_out; /**< requests or scopes that sampling left out */
    uint64_t gpu_dropped; /**< GPU times lost: too many at once, or a CUDA error */
};

/* --- The process-wide profiler ---------------------------------------------------------------- */

/** Not 0 while the process-wide profiler records. The macros read it; the functions below set it. */
extern int kgate_profiling;

/** Whether the profiler ignores KGATE_PROFILE in the environment. A program that starts the profiler
 * itself defines it as true. */
extern bool kgate_profiler_ignores_environment;

/**
 * Starts the process-wide profiler. The environment variable KGATE_PROFILE=PATH does the same
 * before `main`. If PATH ends in .json, .trace.json, .folded, .csv or .txt, the recording goes to
 * PATH.kgprof. At the process's end the library converts it to that format. A crash leaves
 * PATH.kgprof behind. If PATH is "-", the library prints the tree to standard error at the
 * process's end, and writes no file.
 * @param options may be NULL
 * @param message receives the reason of a failure, in one sentence; may be NULL
 * @return false if it runs already, an option is impossible, or the file cannot be made */
bool kgate_profiler_start(const struct kgate_profiler_options *options, char message[256]);

/**
 * Stops recording and writes the buffers' contents. Results stay until the next start. Scopes still
 * open on other threads are lost; their closed scopes are written. The library calls it at the
 * process's end. */
void kgate_profiler_stop(void);

/* --- Instances -------------------------------------------------------------------------------- */

/**
 * Starts another profiler, which records from now on; at most seven at a time.
 * @return NULL with `message`, as #kgate_profiler_start */
struct kgate_profiler *kgate_profiler_new(const struct kgate_profiler_options *options,
                                          char message[256]);

/** Ends a profiler; NULL is ignored. None of its scopes may be open, and no other thread may still
 * use it. */
void kgate_profiler_free(struct kgate_profiler *profiler);

/** Pauses (false) or resumes recording; NULL is the process-wide profiler. Cheap. An open scope is
 * recorded when it ends. A profiler that was never started ignores the call. */
void kgate_profiler_enable(struct kgate_profiler *profiler, bool enabled);

/** Writes the buffers of all threads to the recording; NULL is the process-wide profiler.
 * @return false if the disk is full or the limit is reached; the entries count as dropped */
bool kgate_profiler_flush(struct kgate_profiler *profiler);

/* --- Scopes ----------------------------------------------------------------------------------- */

/**
 * Begins a scope inside the thread's innermost open one. For callbacks and other languages; in a
 * block, use the macros.
 * @param profiler NULL is the process-wide one
 * @param site     the place; static, because its address identifies the scope
 * @param bytes    bytes that the scope reads and writes, for its bandwidth; 0: not known */
struct kgate_scope kgate_scope_begin(struct kgate_profiler *profiler, struct kgate_site *site,
                                     uint64_t bytes);

/** Begins a scope whose name is made at run time: slower by a look-up. Strings are copied.
 * @param backend may be NULL */
struct kgate_scope kgate_scope_begin_named(struct kgate_profiler *profiler, const char *name,
                                           enum kgate_device device, const char *backend,
                                           uint64_t bytes);

/** Begins a scope with labels, "size=1024". The printf format makes them. Each set of labels is a
 * scope of its own in reports: "multiply size=1024". A name with labels has at most 255 bytes. */
struct kgate_scope kgate_scope_begin_labelled(struct kgate_profiler *profiler, const char *name,
                                              const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Begins a scope that is timed on the GPU too: an event on `stream` now and another at the end. The
 * library collects their times later, without waiting for the device. Without a driver or a context
 * it is a plain scope.
 * @param stream a cudaStream_t or CUstream; NULL is the default stream */
struct kgate_scope kgate_scope_begin_cuda(struct kgate_profiler *profiler, struct kgate_site *site,
                                          void *stream, uint64_t bytes);

/** Begins a scope whose backend is found at run time: as #kgate_scope_begin_cuda if the calling thread
 * has a CUDA context, else as #kgate_scope_begin. A thread gets a context by its first call of the
 * CUDA runtime.
 * @param sites two places of one name: on the CPU, then on the GPU */
struct kgate_scope kgate_scope_begin_auto(struct kgate_profiler *profiler,
                                          struct kgate_site sites[2], void *stream, uint64_t bytes);

/** Ends a scope, on the thread that began it. It also ends inner scopes that are still open, and
 * counts them as unfinished. A second end, or an end on another thread, only counts as
 * unbalanced. */
void kgate_scope_finish(struct kgate_scope *scope);

/** Sets the bytes that the thread's innermost open scope reads and writes, if they are known only
 * after its begin; 0: not known. */
void kgate_scope_bytes(struct kgate_profiler *profiler, uint64_t bytes);

/** Calls function(argument) inside a scope. */
void kgate_profile_call(struct kgate_profiler *profiler, const char *name,
                        void (*function)(void *argument), void *argument);

/** A scope that may end on a thread other than its first and need not nest: a request that passes
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
/** Ends a span; a second call does nothing. The entry belongs to the thread that ends the span. */
void kgate_span_end(struct kgate_span *span);

/** Records memory that this thread allocated or released. Scopes then show their allocated bytes
 * and their peak. A preloaded libkgate_memory.so does this for malloc and the like. */
void kgate_memory_allocated(uint64_t bytes);
void kgate_memory_released(uint64_t bytes);

/** Names the calling thread in reports, at most 31 bytes; copied. */
void kgate_thread_name(const char *name);

/* --- Results ---------------------------------------------------------------------------------- */

/** The figures of all scopes of one path (or one name). Times in nanoseconds. */
struct kgate_scope_statistics {
    const char *name;
    size_t parent;   /**< index of the scope around it; its own index if outermost */
    unsigned depth;  /**< 0 if outermost */
    uint64_t calls;  /**< number of recorded calls */
    double total_ns; /**< all calls, on all threads; of a name: without calls inside itself */
    double self_ns;  /**< without the scopes inside */
    double mean_ns;
    double min_ns;
    double max_ns;
    double standard_deviation_ns;
    double p50_ns; /**< quantiles are right within 1 % */
    double p95_ns;
    double p99_ns;
    double share;             /**< of the wall time in scopes: its busiest thread's part; below a
                                 parallel region the part of the thread that started it */
    double gpu_ns;            /**< GPU time here and in inner scopes, without transfers */
    double transfer_ns;       /**< transfer time here and in inner scopes */
    double cpu_ns;            /**< CPU time; NaN if not recorded */
    double overhead_ns;       /**< estimate of the profiler's own time inside */
    uint64_t allocated_bytes; /**< all calls; of a name: without calls inside itself */
    uint64_t peak_bytes;      /**< most memory that one call added at a time */
    uint64_t
        device_peak_bytes;   /**< most memory that the device had more at the end of a call, or of a
                                   scope inside; of all programs on the device; 0: not recorded */
    double gpu_utilization;  /**< GPU time per time of the scope; NaN without GPU times, and if the
                                 scope only launched its work */
    double bytes_per_second; /**< NaN if no bytes were given */
};

/** The figures of a profile. One owner: free with #kgate_profile_results_free. */
struct kgate_profile_results {
    struct kgate_scope_statistics *paths; /**< by nesting: a scope comes before those inside it */
    size_t path_count;
    struct kgate_scope_statistics *names; /**< by name, largest total first; parent and depth 0 */
    size_t name_count;
    double wall_ns; /**< from the first beginning to the last end */
    struct kgate_profile_losses losses;
    void *owner; /**< private to the library */
};

/** Returns the figures recorded so far; NULL profiler is the process-wide one.
 * @return NULL with `message` (may be NULL) if nothing was started or memory is out */
struct kgate_profile_results *kgate_profiler_results(struct kgate_profiler *profiler,
                                                     char message[256]);
void kgate_profile_results_free(struct kgate_profile_results *results);

/** Formats of #kgate_profiler_write. */
enum kgate_profile_format {
    KGATE_PROFILE_TABLE,  /**< calls, total, average, least, most, share; by total */
    KGATE_PROFILE_TREE,   /**< the table's columns, by nesting */
    KGATE_PROFILE_JSON,   /**< kgate.profile.v1 */
    KGATE_PROFILE_TRACE,  /**< Chrome's trace events: Perfetto, chrome://tracing */
    KGATE_PROFILE_FOLDED, /**< collapsed stacks, nanoseconds: flamegraph.pl, speedscope */
    KGATE_PROFILE_CSV     /**< one line per entry */
};

/**
 * Writes a report of the recording so far. It streams: memory does not grow with the entries.
 * @param profiler NULL is the process-wide one
 * @param path     replaced only by a complete report; "-" is standard output
 * @param limit    rows of a table or tree, 0: all; other formats ignore it */
bool kgate_profiler_write(struct kgate_profiler *profiler, enum kgate_profile_format format,
                          const char *path, size_t limit, char message[256]);

/** Writes a report to an open file, which stays open. */
bool kgate_profiler_print(struct kgate_profiler *profiler, enum kgate_profile_format format,
                          FILE *file, size_t limit, char message[256]);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

/* --- Macros ----------------------------------------------------------------------------------- */

#define KGATE_PROFILER_JOIN_(a, b) a##b
#define KGATE_PROFILER_JOIN(a, b) KGATE_PROFILER_JOIN_(a, b)

/** Ends a scope at the end of its block, for the macros. */
static inline void kgate_scope_end(struct kgate_scope *scope)
{
    if (__builtin_expect(scope->thread != NULL, 0))
        kgate_scope_finish(scope);
}

#ifdef __cplusplus
/** Ends a scope at the end of its block. The macros make it; a program may make it of any scope:
 * `kgate_scope_guard guard(kgate_scope_begin(instance, &site, 0));` */
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
#endif

#ifdef KGATE_NO_PROFILER

#define KGATE_SCOPE(name) ((void)0)
#define KGATE_SCOPE_NAMED(...) ((void)0)
#define KGATE_SCOPE_LABELLED(name, ...) ((void)0)
#define KGATE_SCOPE_IN(profiler, name) ((void)0)
#define KGATE_SCOPE_ON(name, device, backend, bytes) ((void)0)
#define KGATE_SCOPE_OF_KIND(name, kind, device, backend, bytes) ((void)0)
#define KGATE_SCOPE_WAITING(name) ((void)0)
#define KGATE_SCOPE_PARALLEL_REGION(name) ((void)0)
#define KGATE_SCOPE_AUTO(name) ((void)0)
#define KGATE_SCOPE_CUDA(name, stream, bytes) ((void)0)
#define KGATE_SCOPE_TRANSFER_CUDA(name, stream, bytes) ((void)0)
#define KGATE_FUNCTION() ((void)0)

#else

#ifdef __cplusplus
extern "C++" {
/** The text of a name: a C string, or an object with c_str(), such as std::string. */
inline const char *kgate_scope_text(const char *name)
{
    return name;
}
template <typename Text>
inline auto kgate_scope_text(const Text &name) -> decltype(static_cast<const char *>(name.c_str()))
{
    return name.c_str();
}
}
#define KGATE_PROFILER_TEXT(...) kgate_scope_text(__VA_ARGS__)
/* "Class::method" is apart from "Other::method". */
#define KGATE_PROFILER_FUNCTION_NAME __PRETTY_FUNCTION__
#define KGATE_PROFILER_NONE kgate_scope()
#define KGATE_PROFILER_HOLD(id, begun)                                                             \
    struct kgate_scope_guard KGATE_PROFILER_JOIN(kgate_scope_, id) {                               \
        begun                                                                                      \
    }
#else
#define KGATE_PROFILER_TEXT(...) (__VA_ARGS__)
#define KGATE_PROFILER_FUNCTION_NAME __func__
#define KGATE_PROFILER_NONE ((struct kgate_scope){NULL, 0, 0})
#define KGATE_PROFILER_HOLD(id, begun)                                                             \
    struct kgate_scope KGATE_PROFILER_JOIN(kgate_scope_, id)                                       \
        __attribute__((cleanup(kgate_scope_end), unused)) = begun
#endif
#define KGATE_PROFILER_GUARD(id, begin)                                                            \
    KGATE_PROFILER_HOLD(id,                                                                        \
                        __builtin_expect(__atomic_load_n(&kgate_profiling, __ATOMIC_RELAXED), 0)   \
                            ? (begin)                                                              \
                            : KGATE_PROFILER_NONE)

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

#define KGATE_PROFILER_AUTO(id, name)                                                              \
    static struct kgate_site KGATE_PROFILER_SITE(id)[2] = {                                        \
        {(name), NULL, __FILE__, __LINE__, KGATE_DEVICE_CPU, KGATE_SCOPE_COMPUTE, 0},              \
        {(name), "cuda", __FILE__, __LINE__, KGATE_DEVICE_CUDA, KGATE_SCOPE_COMPUTE, 0}};          \
    KGATE_PROFILER_GUARD(id, kgate_scope_begin_auto(NULL, KGATE_PROFILER_SITE(id),                 \
                                                    KGATE_PROFILER_STREAM((void *)0), 0))

#define KGATE_PROFILER_IN(id, profiler, name)                                                      \
    KGATE_PROFILER_PLACE(id, name, KGATE_DEVICE_CPU, NULL, KGATE_SCOPE_COMPUTE);                   \
    KGATE_PROFILER_HOLD(id, kgate_scope_begin((profiler), &KGATE_PROFILER_SITE(id), 0))

/* With `--default-stream per-thread` the default stream is cudaStreamPerThread. */
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define KGATE_PROFILER_STREAM(stream) ((stream) ? (void *)(stream) : (void *)0x2)
#else
#define KGATE_PROFILER_STREAM(stream) ((void *)(stream))
#endif

/* The empty literal before a name refuses a variable at compile time: a site keeps one name, so a
 * variable would count all its names as the first. */

/** A scope from here to the end of the block. `name` is a string literal; KGATE_SCOPE_NAMED takes
 * other names. */
#define KGATE_SCOPE(name) KGATE_SCOPE_ON(name, KGATE_DEVICE_CPU, NULL, 0)

/** A scope whose name is made at run time: a C string, or in C++ a std::string. It is slower by a
 * look-up. The name is made only while the profiler records. */
#define KGATE_SCOPE_NAMED(...)                                                                     \
    KGATE_PROFILER_GUARD(__COUNTER__,                                                              \
                         kgate_scope_begin_named(NULL, KGATE_PROFILER_TEXT(__VA_ARGS__),           \
                                                 KGATE_DEVICE_CPU, NULL, 0))

/** A scope with labels, by a printf format: KGATE_SCOPE_LABELLED("multiply", "size=%d", size). */
#define KGATE_SCOPE_LABELLED(name, ...)                                                            \
    KGATE_PROFILER_GUARD(__COUNTER__, kgate_scope_begin_labelled(NULL, "" name "", __VA_ARGS__))

/** A scope of an instance (#kgate_profiler_new); NULL is the process-wide profiler. */
#define KGATE_SCOPE_IN(profiler, name) KGATE_PROFILER_IN(__COUNTER__, profiler, "" name "")

/** A scope with its device, backend (a literal or NULL) and the bytes that it reads and writes. */
#define KGATE_SCOPE_ON(name, device, backend, bytes)                                               \
    KGATE_SCOPE_OF_KIND(name, KGATE_SCOPE_COMPUTE, device, backend, bytes)

/** A scope with a kgate_scope_kind too. */
#define KGATE_SCOPE_OF_KIND(name, kind, device, backend, bytes)                                    \
    KGATE_PROFILER_ON(__COUNTER__, "" name "", kind, device, backend, bytes)

/** A scope whose time is waiting: around a barrier, a lock, cudaStreamSynchronize. */
#define KGATE_SCOPE_WAITING(name)                                                                  \
    KGATE_SCOPE_OF_KIND(name, KGATE_SCOPE_WAIT, KGATE_DEVICE_CPU, NULL, 0)

/** A scope around a parallel region, on the thread that starts the region. Each thread opens a scope
 * of its own around its work, and ends it before it waits for the others. The remaining time is
 * overhead. The scopes of OpenMP's threads, and of threads whose first scope begins in the region, are
 * below it in reports. */
#define KGATE_SCOPE_PARALLEL_REGION(name)                                                          \
    KGATE_SCOPE_OF_KIND(name, KGATE_SCOPE_PARALLEL, KGATE_DEVICE_CPU, NULL, 0)

/** A scope that finds its backend at run time: CUDA events on the default stream if the thread has a
 * CUDA context, else the CPU's clock alone. */
#define KGATE_SCOPE_AUTO(name) KGATE_PROFILER_AUTO(__COUNTER__, "" name "")

/** A scope that is timed on a CUDA stream too. */
#define KGATE_SCOPE_CUDA(name, stream, bytes)                                                      \
    KGATE_PROFILER_CUDA(__COUNTER__, "" name "", KGATE_SCOPE_COMPUTE, stream, bytes)

/** A scope around a copy between host and device, timed on a CUDA stream too. */
#define KGATE_SCOPE_TRANSFER_CUDA(name, stream, bytes)                                             \
    KGATE_PROFILER_CUDA(__COUNTER__, "" name "", KGATE_SCOPE_TRANSFER, stream, bytes)

/** A scope of the function's name, to its end. In C++ the name has the class: "Layer::forward". */
#define KGATE_FUNCTION()                                                                           \
    KGATE_PROFILER_ON(__COUNTER__, KGATE_PROFILER_FUNCTION_NAME, KGATE_SCOPE_FUNCTION,             \
                      KGATE_DEVICE_CPU, NULL, 0)

#endif

#ifdef __cplusplus
extern "C++" {
namespace kgate
{

/** Calls a function, a lambda or another callable inside a scope, and returns its value. An
 * exception ends the scope. With KGATE_NO_PROFILER: the call alone. */
template <typename Text, typename Callable, typename... Arguments>
inline auto profiled(const Text &name, Callable &&callable, Arguments &&...arguments)
    -> decltype(static_cast<Callable &&>(callable)(static_cast<Arguments &&>(arguments)...))
{
    (void)name;
    KGATE_SCOPE_NAMED(name);
    return static_cast<Callable &&>(callable)(static_cast<Arguments &&>(arguments)...);
}

} // namespace kgate
}
#endif
#endif
