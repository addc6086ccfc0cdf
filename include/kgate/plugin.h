/**
 * @file plugin.h
 * @brief What a workload is: a small table of functions that kgate calls to measure your code.
 *
 * To measure a function, use #KGATE_BENCH at the end of this file. `kgate init --plugin NAME` writes
 * a file with it. The table is for workloads with parameters, checks, figures or a GPU.
 *
 * The built-in kernels fill in this table, and so does a plugin, a shared object that exports
 * #kgate_plugin_workloads. kgate loads a plugin in a worker process of its own; a crash there costs
 * one case, never the run.
 *
 * One worker process measures one case, in this order:
 *
 *     describe -> set_up -> run (once) -> check -> tear_down         the check, before any timing
 *     describe -> set_up -> run (many times, timed) -> tear_down     each round, a fresh process
 *
 * The process of the last round goes on after that with `set_up -> run (once) -> check -> tear_down`,
 * or, where the workload has a `refresh`, instead of its `tear_down` with
 *
 *     refresh -> run (once) -> check -> tear_down                    other input in the same place
 *
 * On the GPU a process measures many cases one after the other, each from `describe` to
 * `tear_down`, because making a CUDA context takes longer than a round. After the check `run` is
 * tried some times more, to see how it can be timed, once while its stream is recorded into a CUDA
 * graph: what it puts on the stream then is not done. The same happens in a process of its own that
 * traces a call.
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

/** What a parameter's text is read as. */
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
    const char *default_text;   /**< used where the suite gives none; never NULL */
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

/** What does the floating-point operations of a call, and so what their rate is compared with. */
enum kgate_arithmetic {
    KGATE_ARITHMETIC_F32 = 0,         /**< single-precision multiply-adds */
    KGATE_ARITHMETIC_BF16_TENSOR = 1, /**< tensor cores, bf16 in, single precision out */
    KGATE_ARITHMETIC_OTHER = 2        /**< something whose ceiling kgate does not measure */
};

/** What one call of `run` does. A figure that does not apply is 0. */
struct kgate_work {
    double items; /**< things processed: elements, vectors, edges */
    double bytes; /**< bytes that must move at the least between memory and processor */
    double flops; /**< floating-point operations; one multiply-add is two */
    enum kgate_arithmetic arithmetic; /**< of the flops */
    /** Those of `bytes` that are written, where that is known: memory that is only read may be
     * faster. */
    double written_bytes;
    /** What the items are, in the plural: "vectors", "tokens". At most 32 letters, digits, blanks,
     * `-` and `_`; static. Reports then give the rate in them: it is the workload's own unit. NULL
     * where another figure says more, such as the flops. */
    const char *item_name;
};

/** What `check` found. A case whose error is above its tolerance, or is not a number, is FAILED. */
struct kgate_check {
    double error; /**< the largest deviation found, as the workload's documentation defines it */
    double tolerance; /**< the largest deviation that rounding can explain */
};

/** What kgate hands to the functions of a workload. Owned by kgate, valid for the whole process. */
struct kgate_context {
    const struct kgate_value *values; /**< one for each entry of params, in that order */
    enum kgate_device device;         /**< where to run */
    unsigned threads;                 /**< threads that `run` may use, at least 1 */
    uint64_t seed;                    /**< for random input: the same seed, the same input */

    /**
     * Memory for the workload: zeroed, aligned to 64 bytes, counted in the results. To be freed
     * with `release`; what is left when the process ends is no error.
     * @return NULL where memory is out */
    void *(*allocate)(struct kgate_context *context, size_t bytes);
    /** Gives back what `allocate` gave; NULL is ignored. */
    void (*release)(struct kgate_context *context, void *memory);

    /** Where a function that returns false says why, in one sentence for the user. */
    char message[256];
    /** kgate's own. */
    void *host;

    /**
     * Reports a figure of the workload's own, such as a residual or a hit rate: `value` from 0 up,
     * finite. May be called from every function of the workload but `describe`, also from `run` by
     * way of its state, on the process's first thread. The last value of a round counts; kgate
     * compares it where the suite names it under `counters:`. At most 32 names of at most 100
     * characters. */
    void (*report)(struct kgate_context *context, const char *name, double value);

    /**
     * On the GPU: the stream that `run` puts its work on, a CUstream, which is a cudaStream_t too;
     * its CUDA context is current on the process's first thread, and its device is the only one
     * that the process sees. NULL on the CPU. What `run` puts on the legacy default stream is timed
     * too, since this stream waits for it; work on other streams must be joined to this one by
     * events. */
    void *stream;

    /**
     * Memory of the device: aligned to 256 bytes, not initialised, counted in the results. To be
     * freed with `release_device`; what is left after `tear_down` is freed by kgate.
     * @return NULL where memory is out, and on the CPU */
    void *(*allocate_device)(struct kgate_context *context, size_t bytes);
    /** Gives back what `allocate_device` gave; NULL is ignored. */
    void (*release_device)(struct kgate_context *context, void *memory);
    /** Like `allocate`, but page-locked, so that copies to and from the device need no detour. To
     * be freed with `release_pinned`. NULL where memory is out, and on the CPU. */
    void *(*allocate_pinned)(struct kgate_context *context, size_t bytes);
    /** Gives back what `allocate_pinned` gave; NULL is ignored. */
    void (*release_pinned)(struct kgate_context *context, void *memory);

    /**
     * Set to true by a function that returns false where the reason in `message` is not the
     * workload's fault: a version that this device does not have, a library that is not installed.
     * The case is then SKIPPED, not FAILED. */
    bool unavailable;
};

/** A workload. Static and constant; functions marked optional may be NULL. */
struct kgate_workload {
    const char *name;                 /**< what the suite names: letters, digits, underscores */
    const char *summary;              /**< one sentence */
    const struct kgate_param *params; /**< may be NULL where param_count is 0 */
    size_t param_count;
    unsigned devices; /**< bits `1u << KGATE_DEVICE_…` of the devices it runs on */
    unsigned
        revision; /**< built-in kernels: raise it if the same parameters begin to mean other work;
                            kgate never compares results of two revisions. It has no effect in a
                            plugin: give the workload another name instead */

    /**
     * Says what one call does and refuses values that do not go together. Pure, cheap, and called
     * before anything is allocated. Optional.
     * @return false with context->message where the values are impossible */
    bool (*describe)(struct kgate_context *context, struct kgate_work *work);

    /**
     * Allocates and fills the input, touching every page that `run` will touch.
     * @param state what the other functions are handed; may stay NULL
     * @return false with context->message where that is impossible */
    bool (*set_up)(struct kgate_context *context, void **state);

    /**
     * The call that is timed. Does the same work each time; must not allocate without need.
     * On a GPU it may return before the device is done, and had better: work that is only put on
     * the stream is timed by the device's own clock, without what it takes to launch it. */
    void (*run)(void *state);

    /**
     * Compares what `run` left, called once before, with a reference of higher precision. Where it
     * compares a sample, KGATE_CHECK_SEED of the environment is a number to draw it by.
     * Optional; without it nothing is checked and the results say so.
     * @return false with context->message where checking itself is impossible */
    bool (*check)(struct kgate_context *context, void *state, struct kgate_check *check);

    /** Frees the state. Optional. */
    void (*tear_down)(struct kgate_context *context, void *state);

    /**
     * Makes the input again, by context->seed, which is another one from here on: other values of
     * the same size at the same addresses, as if `set_up` had just made them. `run` and `check`
     * follow, so that a `run` that remembers what it has computed is found out. Optional; without
     * it the state is set up anew.
     * @return false with context->message where that is impossible */
    bool (*refresh)(struct kgate_context *context, void *state);
};

/** What a plugin gives: a constant list of workloads. */
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

/** @cond internal: what the functions of #KGATE_BENCH call */
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
