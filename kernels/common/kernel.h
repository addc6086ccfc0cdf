/* kernel.h: a kernel as one constant table: its arrays, its versions and its own few functions. The
 * rest of a workload (<kgate/plugin.h>) is common code. It allocates and releases the arrays, fills
 * inputs from the seed, and copies them to the GPU. It poisons results, fetches them for the check,
 * and chooses the version. docs/kernels.md shows one. First thread only. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kgate/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The first member of every kernel's state. */
struct kg_call {
    void (*version)(void *state); /* the timed function */
    void *stream;                 /* the GPU's; NULL on the CPU */
    int threads;
    unsigned processors; /* the GPU's multiprocessors; 0 on the CPU */
};

enum kg_array_role {
    KG_INPUT, /* filled from the seed by `fill`; the check makes it again. Without `fill`: zeros, as
                 input for `prepare` */
    KG_OUTPUT, /* all bytes 0xff, NaN in every format, before the first call; read by the check */
    KG_SCRATCH /* as KG_OUTPUT, but the check does not read it */
};

enum kg_array_memory {
    KG_MEMORY_DEVICE, /* of the case's device: the host's on the CPU, the GPU's on the GPU */
    KG_MEMORY_HOST,   /* the host's on both */
    KG_MEMORY_PINNED, /* the same, page-locked for the GPU's cases */
    KG_MEMORY_GPU     /* the GPU's; the CPU's cases have no such array */
};

/* One array. Arrays are allocated in the order of their table, after the state. */
struct kg_kernel_array {
    const char *name;
    size_t place; /* of the pointer to it in the state */
    size_t element_bytes;
    enum kg_array_role role;
    enum kg_array_memory memory;
    /* Number of elements: `elements`, or if it is 0, `count` by the extents in the state. If
     * `count` gives 0, the case has no such array. */
    size_t elements;
    size_t (*count)(const void *state);
    /* Inputs only. The seed alone determines the values, not the number of threads. */
    void (*fill)(const void *state, void *array, size_t count, uint64_t seed);
    unsigned seed; /* added to the context's */
};

/* The first members of a row about the array that `member` of struct `type` points to. */
#define KG_ARRAY(type, member)                                                                     \
    .name = #member, .place = offsetof(type, member), .element_bytes = sizeof *((type *)0)->member

/* The members of struct kg_kernel about its arrays and its versions, from their tables. */
#define KG_KERNEL_ARRAYS(table) .arrays = (table), .array_count = sizeof(table) / sizeof *(table)
#define KG_KERNEL_VERSIONS(names, param, table)                                                    \
    .version_names = (names), .version_param = (param), .versions = (table)

/* Values for `fill`: floats uniform in [-1, 1), random 64-bit words. */
void kg_array_floats(const void *state, void *array, size_t count, uint64_t seed);
void kg_array_words(const void *state, void *array, size_t count, uint64_t seed);

struct kg_kernel {
    size_t state_bytes; /* of the state, which begins with a struct kg_call */
    const struct kg_kernel_array *arrays;
    size_t array_count;

    /* The versions, in the order of their names, each with its function by enum kgate_device; NULL
     * if the device lacks the version. A kernel without names has one version. */
    const char *const *version_names;
    int version_param; /* number of the parameter that chooses the version */
    void (*const (*versions)[2])(void *state);

    /* Reads context->values, writes the extents to the state, and a call's work to *work. The state
     * is zero except for its call. False with context->message if the values are impossible. Common
     * code refuses a version that the device lacks afterwards. Called by describe, with a temporary
     * state, and by set_up. */
    bool (*shape)(struct kgate_context *context, void *state, struct kgate_work *work);
    /* The check, with all arrays except scratch in the host's memory. False if there is no memory
     * for the reference. Called for the result of the last call, and once more for a call of its
     * own (kg_kernel_check). */
    bool (*compare)(const void *state, struct kgate_check *check);
    /* Optional, on the CPU: makes the inputs again that have no `fill`. */
    void (*restore)(const struct kgate_context *context, void *state);
    /* Optional, on the CPU: sets results outside all arrays to NaN. */
    void (*blank)(void *state);

    /* By enum kgate_device, optional. `prepare` comes last in set_up; false with context->message.
     * `finish` comes before the release of the arrays, even if set_up failed half way. */
    bool (*prepare[2])(struct kgate_context *context, void *state);
    void (*finish[2])(struct kgate_context *context, void *state);
};

/* The functions of struct kgate_workload, for a kernel. */
bool kg_kernel_describe(struct kgate_context *context, struct kgate_work *work,
                        const struct kg_kernel *kernel);
bool kg_kernel_set_up(struct kgate_context *context, void **state, const struct kg_kernel *kernel);
void kg_kernel_run(void *state);
/* Compares the result of the last call with a reference. The reference makes the inputs again from
 * the seed, so the check finds a kernel that changes its input. The check then blanks the results
 * and makes other inputs in the same place, from another seed, which the context keeps. It calls
 * once more and compares again. So it finds a kernel that returns a result of an earlier call. */
bool kg_kernel_check(struct kgate_context *context, void *state, struct kgate_check *check,
                     const struct kg_kernel *kernel);
void kg_kernel_tear_down(struct kgate_context *context, void *state,
                         const struct kg_kernel *kernel);

/* Defines the workload kg_kernel_NAME of `static const struct kg_kernel NAME_kernel`; the rest are
 * its summary, params, param_count, devices and revision. */
#define KG_KERNEL_WORKLOAD(workload, ...)                                                          \
    static bool workload##_describe(struct kgate_context *context, struct kgate_work *work)        \
    {                                                                                              \
        return kg_kernel_describe(context, work, &workload##_kernel);                              \
    }                                                                                              \
    static bool workload##_set_up(struct kgate_context *context, void **state)                     \
    {                                                                                              \
        return kg_kernel_set_up(context, state, &workload##_kernel);                               \
    }                                                                                              \
    static bool workload##_check(struct kgate_context *context, void *state,                       \
                                 struct kgate_check *check)                                        \
    {                                                                                              \
        return kg_kernel_check(context, state, check, &workload##_kernel);                         \
    }                                                                                              \
    static void workload##_tear_down(struct kgate_context *context, void *state)                   \
    {                                                                                              \
        kg_kernel_tear_down(context, state, &workload##_kernel);                                   \
    }                                                                                              \
    const struct kgate_workload kg_kernel_##workload = {                                           \
        .name = #workload,                                                                         \
        .describe = workload##_describe,                                                           \
        .set_up = workload##_set_up,                                                               \
        .run = kg_kernel_run,                                                                      \
        .check = workload##_check,                                                                 \
        .tear_down = workload##_tear_down,                                                         \
        __VA_ARGS__,                                                                               \
    }

/* Parameters that several kernels have. */
#define KG_PARAM_BYTES(default_value, least, most, text)                                           \
    {                                                                                              \
        .name = "bytes", .type = KGATE_PARAM_SIZE, .default_text = (default_value),                \
        .minimum = (least), .maximum = (double)(most), .help = (text)                              \
    }
#define KG_PARAM_WHOLE(param_name, default_value, least, most, text)                               \
    {                                                                                              \
        .name = (param_name), .type = KGATE_PARAM_INTEGER, .default_text = (default_value),        \
        .minimum = (least), .maximum = (most), .help = (text)                                      \
    }
#define KG_PARAM_CHOICE(param_name, default_value, names, text)                                    \
    {                                                                                              \
        .name = (param_name), .type = KGATE_PARAM_CHOICE, .default_text = (default_value),         \
        .choices = (names), .help = (text)                                                         \
    }

/* Refuses, in `describe`, a parameter `bytes` that is no multiple of an element's. */
bool kg_kernel_whole_elements(struct kgate_context *context, int64_t bytes, size_t element_bytes,
                              const char *element);

#ifdef __cplusplus
}
#endif
