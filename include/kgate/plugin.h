/**
 * @file plugin.h
 * @brief A workload: a small table of functions that kgate calls to measure your code.
 *
 * To measure a function, use #KGATE_BENCH at the end of this file. `kgate init --plugin NAME` writes
 * a file with it. The table is for workloads with parameters, checks, figures or a GPU.
 *
 * The built-in kernels fill in this table. So does a plugin: a shared object that exports
 * #kgate_plugin_workloads. kgate loads a plugin in a worker process of its own; a crash there costs
 * one case, never the run.
 *
 * One worker process measures one case, in this order:
 *
 *     describe -> set_up -> run (once) -> check -> tear_down         the check, before any timing.
 *     describe -> set_up -> run (many times, timed) -> tear_down     each round, a fresh process.
 *
 * After its timed calls, the process of the last round checks the result again:
 *
 *     set_up -> run (once) -> check -> tear_down                     without a `refresh`.
 *     refresh -> run (once) -> check -> tear_down                    other input at the same addresses.
 *
 * The first line follows `tear_down`. The second line follows the timed calls directly.
 *
 * On the GPU a process measures many cases one after the other, each from `describe` to
 * `tear_down`. The reason: it takes longer to make a CUDA context than to measure a round. After the
 * check kgate calls `run` a few more times to choose a way of timing. During one of these calls kgate
 * captures the stream into a CUDA graph; the device does not execute the work of that call. A
 * process that traces a call does the same.
 *
 * All calls come from the process's first thread; `run` may start threads of its own. Plain C11,
 * usable from C++ and from CUDA C. */
#ifndef KGATE_PLUGIN_H
#define KGATE_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kgate/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Version of this interface. kgate refuses a plugin that was built for another version. */
#define KGATE_PLUGIN_ABI 1u

/** How kgate reads a parameter's text. */
enum kgate_param_type {
    KGATE_PARAM_INTEGER, /**< whole number from minimum to maximum; read value.integer */
    KGATE_PARAM_SIZE,    /**< bytes, with a unit such as KiB or MB; read value.integer */
    KGATE_PARAM_REAL,    /**< finite number from minimum to maximum; read value.real */
    KGATE_PARAM_CHOICE   /**< one of choices; read value.integer, the index into choices */
};

/** One parameter of a workload. A table of them is static and constant. */
struct kgate_param {
    const char *name;           /**< the key in the suite */
    enum kgate_param_type type; /**< how its text is read */
    const char *default_text;   /**< used if the suite gives none; never NULL */
    double minimum;             /**< least allowed value; not for KGATE_PARAM_CHOICE */
    double maximum;             /**< greatest allowed value; not for KGATE_PARAM_CHOICE */
    const char *const *choices; /**< NULL-terminated; KGATE_PARAM_CHOICE only */
    const char *help;           /**< one phrase, without a final stop */
};

/** A parameter's value. */
struct kgate_value {
    int64_t integer;
    double real;
};

/** The units that do the floating-point operations. kgate compares the rate with their peak. */
enum kgate_arithmetic {
    KGATE_ARITHMETIC_F32 = 0,         /**< single-precision multiply-adds */
    KGATE_ARITHMETIC_BF16_TENSOR = 1, /**< tensor cores, bf16 in, single precision out */
    KGATE_ARITHMETIC_OTHER = 2        /**< units whose peak kgate does not measure */
};

/** Work of one `run`. A figure that does not apply is 0. */
struct kgate_work {
    double items; /**< things processed: elements, vectors, edges */
    double bytes; /**< least number of bytes that must move between memory and processor */
    double flops; /**< floating-point operations; one multiply-add is two */
    enum kgate_arithmetic arithmetic; /**< units that do the flops */
    /** Written part of `bytes`; 0 if not known. Memory may be read faster than it is written. */
    double written_bytes;
    /** Plural name of the items: "vectors", "tokens". At most 32 letters, digits, blanks, `-` and
     * `_`; static. Reports then give the rate in this unit. NULL if another figure, such as the
     * flops, describes the work better. */
    const char *item_name;
};

/** Result of `check`. A case whose error is above its tolerance, or is not a number, is FAILED. */
struct kgate_check {
    double error; /**< the largest deviation found, as the workload's documentation defines it */
    double tolerance; /**< the largest deviation that rounding can explain */
};

/** Context of a workload's functions. Owned by kgate, valid for the whole process. */
struct kgate_context {
    const struct kgate_value *values; /**< one for each entry of params, in that order */
    enum kgate_device device;         /**< where to run */
    unsigned threads;                 /**< threads that `run` may use, at least 1 */
    uint64_t seed;                    /**< for random input: the same seed, the same input */

    /**
     * Allocates memory for the workload: zeroed, aligned to 64 bytes, counted in the results. The
     * workload frees it with `release`. Memory still allocated at the process's end is no error.
     * @return NULL if memory is out */
    void *(*allocate)(struct kgate_context *context, size_t bytes);
    /** Frees memory of `allocate`; NULL is ignored. */
    void (*release)(struct kgate_context *context, void *memory);

    /** A function that returns false writes the reason here: one sentence for the user. */
    char message[256];
    /** Private to kgate. */
    void *host;

    /**
     * Reports a figure of the workload, such as a residual or a hit rate. `value` is finite and at
     * least 0. Every function of the workload except `describe` may call it, on the process's first
     * thread; `run` reaches it through its state. The last value of a round counts. kgate compares
     * the figure if the suite names it under `counters:`. At most 32 names of at most 100
     * characters. */
    void (*report)(struct kgate_context *context, const char *name, double value);

    /**
     * The stream for the work of `run`: a CUstream, which is also a cudaStream_t; NULL on the CPU.
     * Its CUDA context is current on the process's first thread. The process sees no other device.
     * This stream waits for the legacy default stream, so kgate times work on that stream too. The
     * workload must join work on other streams to this stream by events. */
    void *stream;

    /**
     * Allocates device memory: aligned to 256 bytes, not initialised, counted in the results. The
     * workload frees it with `release_device`. kgate frees the remainder after `tear_down`.
     * @return NULL if memory is out, and on the CPU */
    void *(*allocate_device)(struct kgate_context *context, size_t bytes);
    /** Frees memory of `allocate_device`; NULL is ignored. */
    void (*release_device)(struct kgate_context *context, void *memory);
    /** Like `allocate`, but page-locked: the driver copies it to and from the device directly. The
     * workload frees it with `release_pinned`. NULL if memory is out, and on the CPU. */
    void *(*allocate_pinned)(struct kgate_context *context, size_t bytes);
    /** Frees memory of `allocate_pinned`; NULL is ignored. */
    void (*release_pinned)(struct kgate_context *context, void *memory);

    /**
     * A function that returns false sets this to true if the workload is not at fault. Examples: a
     * version that this device does not support, or a library that is not installed. The case is
     * then SKIPPED, not FAILED. */
    bool unavailable;
};

/** A workload. Static and constant; functions marked optional may be NULL. */
struct kgate_workload {
    const char *name;                 /**< its name in the suite: letters, digits, underscores */
    const char *summary;              /**< one sentence */
    const struct kgate_param *params; /**< may be NULL if param_count is 0 */
    size_t param_count;
    unsigned devices; /**< bits `1u << KGATE_DEVICE_…` of the devices it runs on */
    unsigned
        revision; /**< built-in kernels: raise it if the same parameters begin to mean other work;
                            kgate never compares results of two revisions. A plugin's revision has
                            no effect: give its workload another name instead */

    /**
     * Gives the work of one call, and refuses impossible combinations of values. Pure and cheap.
     * kgate calls it before any allocation. Optional.
     * @return false with context->message if the values are impossible */
    bool (*describe)(struct kgate_context *context, struct kgate_work *work);

    /**
     * Allocates and fills the input, touching every page that `run` will touch.
     * @param state passed to the other functions; may stay NULL
     * @return false with context->message on failure */
    bool (*set_up)(struct kgate_context *context, void **state);

    /**
     * The timed call. Each call must do the same work, and should not allocate memory.
     * On a GPU it should return before the device has finished. kgate then times the work on the
     * stream by the device's own clock, and the time excludes the launches. */
    void (*run)(void *state);

    /**
     * Compares the result of one `run` with a reference of higher precision. A check of a random
     * sample can seed its choice with the environment variable KGATE_CHECK_SEED, a number.
     * Optional. Without it kgate checks no result, and the results say so.
     * @return false with context->message if the check itself fails */
    bool (*check)(struct kgate_context *context, void *state, struct kgate_check *check);

    /** Frees the state. Optional. */
    void (*tear_down)(struct kgate_context *context, void *state);

    /**
     * Makes the input again from context->seed, which is another seed from this call on: other values
     * of the same size at the same addresses, as if `set_up` had just made them. `run` and `check`
     * follow: they reveal a `run` that returns a remembered result. Optional. Without it kgate
     * calls `tear_down` and `set_up` instead.
     * @return false with context->message on failure */
    bool (*refresh)(struct kgate_context *context, void *state);
};

/** Contents of a plugin: a constant list of workloads. */
struct kgate_plugin {
    unsigned abi; /**< KGATE_PLUGIN_ABI */
    const struct kgate_workload *const *workloads;
    size_t workload_count;
};

/**
 * The one symbol that a plugin exports, unless it uses #KGATE_BENCH:
 * @code
 * const struct kgate_plugin *kgate_plugin_workloads(void);
 * @endcode
 * @return a pointer that stays valid while the plugin is loaded; never NULL */
typedef const struct kgate_plugin *(*kgate_plugin_workloads_function)(void);

/** A workload of #KGATE_BENCH. kgate finds it by the beginning of its symbol, `kgate_bench_`. */
struct kgate_bench {
    unsigned abi; /**< KGATE_PLUGIN_ABI */
    struct kgate_workload workload;
};

/** @cond internal: functions that #KGATE_BENCH calls */
static inline bool kgate_bench_begin(struct kgate_context *context, void **state,
                                     void *(*set_up)(void))
{
    static const char why[] = "set_up returned NULL";
    if (!set_up)
        return true;
    *state = set_up();
    for (size_t i = 0; !*state && i < sizeof why; i++)
        context->message[i] = why[i];
    return *state != NULL;
}

static inline void kgate_bench_end(void *state, void (*tear_down)(void *))
{
    if (tear_down)
        tear_down(state);
}

#if defined(__GNUC__)
#define KGATE_BENCH_EXPORT __attribute__((visibility("default")))
#else
#define KGATE_BENCH_EXPORT
#endif
#ifdef __cplusplus
#define KGATE_BENCH_EXTERN extern "C" KGATE_BENCH_EXPORT
#else
#define KGATE_BENCH_EXTERN extern KGATE_BENCH_EXPORT
#endif
/** @endcond */

/**
 * Makes a workload of three functions. It stands outside of functions, and ends with a semicolon:
 * @code
 * KGATE_BENCH(parse, parse_set_up, parse_run, parse_tear_down);
 * KGATE_BENCH(print, NULL, print_run, NULL);
 * @endcode
 * A plugin may have several, in one source file or in many, in C and in C++. Such a plugin has no
 * kgate_plugin_workloads. The workloads run on the CPU, have no parameters, and check no result.
 *
 * @param name       a C identifier, unique in the plugin; the suite's `workload`
 * @param set_up     `void *set_up(void)`, or NULL. It makes the input and returns the state. Each
 *                   process calls it once, before the calls of run. NULL as its result fails the
 *                   case; a set_up without a state returns any other pointer.
 * @param run        `void run(void *state)`: the call that is timed, and nothing else is. kgate calls
 *                   it many times on one state, in batches if it is short, and in many processes. So
 *                   each call must do the same work, and must not use up its input. Store the result
 *                   in the state, or the compiler may remove the work.
 * @param tear_down  `void tear_down(void *state)`, or NULL. It frees the state. Each process calls it
 *                   once, after the last call of run; a process that is killed does not.
 *
 * The state belongs to these functions: kgate passes the pointer on and never reads or frees it.
 * Without a set_up it is NULL. All calls come from the process's first thread, one after the other. run
 * may start threads; they must be done when it returns, or their work is not timed. To end the
 * process, or to leave run by an exception or longjmp, fails the case. */
#define KGATE_BENCH(name, set_up, run, tear_down)                                                  \
    static bool kgate_bench_begin_##name(struct kgate_context *kgate_context, void **kgate_state)  \
    {                                                                                              \
        return kgate_bench_begin(kgate_context, kgate_state, set_up);                              \
    }                                                                                              \
    static void kgate_bench_end_##name(struct kgate_context *kgate_context, void *kgate_state)     \
    {                                                                                              \
        (void)kgate_context;                                                                       \
        kgate_bench_end(kgate_state, tear_down);                                                   \
    }                                                                                              \
    KGATE_BENCH_EXTERN const struct kgate_bench kgate_bench_##name;                                \
    const struct kgate_bench kgate_bench_##name = {                                                \
        KGATE_PLUGIN_ABI,                                                                          \
        {#name, "A function of a plugin.", NULL, 0, 1u << KGATE_DEVICE_CPU, 1, NULL,               \
         kgate_bench_begin_##name, run, NULL, kgate_bench_end_##name, NULL}}

#ifdef __cplusplus
}
#endif

#endif
