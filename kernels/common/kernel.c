#include "common/kernel.h"

#include <stdlib.h>
#include <string.h>

#include "common/common.h"
#include "common/device.h"

void kg_array_floats(const void *state, void *array, size_t count, uint64_t seed)
{
    kg_fill_floats(array, count, seed, (unsigned)((const struct kg_call *)state)->threads);
}

void kg_array_words(const void *state, void *array, size_t count, uint64_t seed)
{
    kg_fill_words(array, count, seed, (unsigned)((const struct kg_call *)state)->threads);
}

/* --- Addresses of arrays ---------------------------------------------------------------------- */

/* The state's pointers are of many types: their bytes are copied. */
static void *pointer_read(const struct kg_kernel_array *array, const void *state)
{
    void *memory;
    memcpy(&memory, (const char *)state + array->place, sizeof memory);
    return memory;
}

static void pointer_write(const struct kg_kernel_array *array, void *state, void *memory)
{
    memcpy((char *)state + array->place, &memory, sizeof memory);
}

static bool on_gpu(const struct kgate_context *context, const struct kg_kernel_array *array)
{
    return context->device == KGATE_DEVICE_CUDA &&
           (array->memory == KG_MEMORY_DEVICE || array->memory == KG_MEMORY_GPU);
}

static bool page_locked(const struct kgate_context *context, const struct kg_kernel_array *array)
{
    return context->device == KGATE_DEVICE_CUDA && array->memory == KG_MEMORY_PINNED;
}

static size_t count_of(const struct kg_kernel_array *array, const void *state)
{
    return array->elements ? array->elements : array->count(state);
}

/* 0 if this case has no such array. */
static size_t bytes_of(const struct kgate_context *context, const struct kg_kernel_array *array,
                       const void *state)
{
    const bool absent = array->memory == KG_MEMORY_GPU && context->device != KGATE_DEVICE_CUDA;
    return absent ? 0 : count_of(array, state) * array->element_bytes;
}

/* --- Making and releasing --------------------------------------------------------------------- */

static bool is_filled(const struct kg_kernel_array *array)
{
    return array->role == KG_INPUT && array->fill;
}

static void fill(const struct kgate_context *context, const struct kg_kernel_array *array,
                 const void *state, void *memory)
{
    array->fill(state, memory, count_of(array, state), context->seed + array->seed);
}

/* The input in host memory, to be freed with free(); NULL with context->message. Not by the
 * context's allocator: this is kgate's own memory, not the workload's. */
static void *input_make(struct kgate_context *context, const struct kg_kernel_array *array,
                        const void *state)
{
    const size_t bytes = count_of(array, state) * array->element_bytes;
    void *input = malloc(bytes);
    if (input)
        fill(context, array, state, input);
    else
        kg_kernel_refuse(context, "no memory for %zu bytes on the host", bytes);
    return input;
}

static bool gpu_make(struct kgate_context *context, const struct kg_kernel_array *array,
                     void *state, size_t bytes)
{
    void *memory = kg_device_blank(context, bytes);
    pointer_write(array, state, memory);
    if (!memory || !is_filled(array))
        return memory != NULL;
    void *input = input_make(context, array, state);
    const bool good = input && kg_device_upload(context, memory, input, bytes);
    free(input);
    return good;
}

static bool host_make(struct kgate_context *context, const struct kg_kernel_array *array,
                      void *state, size_t bytes)
{
    const bool pinned = page_locked(context, array);
    void *memory =
        pinned ? context->allocate_pinned(context, bytes) : context->allocate(context, bytes);
    pointer_write(array, state, memory);
    if (!memory)
        return kg_kernel_refuse(context, "no %smemory for %zu bytes on the host ('%s')",
                                pinned ? "page-locked " : "", bytes, array->name);
    if (is_filled(array))
        fill(context, array, state, memory);
    else if (array->role != KG_INPUT)
        kg_fill_blank(memory, bytes, context->threads);
    return true;
}

static bool arrays_make(struct kgate_context *context, const struct kg_kernel *kernel, void *state)
{
    for (size_t i = 0; i < kernel->array_count; i++) {
        const struct kg_kernel_array *array = &kernel->arrays[i];
        const size_t bytes = bytes_of(context, array, state);
        if (bytes && !(on_gpu(context, array) ? gpu_make(context, array, state, bytes)
                                              : host_make(context, array, state, bytes)))
            return false;
    }
    return true;
}

static void array_release(struct kgate_context *context, const struct kg_kernel_array *array,
                          const void *state)
{
    if (!bytes_of(context, array, state))
        return;
    void (*const release)(struct kgate_context *, void *) =
        on_gpu(context, array)        ? context->release_device
        : page_locked(context, array) ? context->release_pinned
                                      : context->release;
    release(context, pointer_read(array, state));
}

void kg_kernel_tear_down(struct kgate_context *context, void *state, const struct kg_kernel *kernel)
{
    if (!state)
        return;
    if (kernel->finish[context->device])
        kernel->finish[context->device](context, state);
    for (size_t i = 0; i < kernel->array_count; i++)
        array_release(context, &kernel->arrays[i], state);
    context->release(context, state);
}

/* --- The workload's functions ----------------------------------------------------------------- */

static int64_t version_of(const struct kgate_context *context, const struct kg_kernel *kernel)
{
    return kernel->version_names ? context->values[kernel->version_param].integer : 0;
}

static bool version_good(struct kgate_context *context, const struct kg_kernel *kernel)
{
    const int64_t version = version_of(context, kernel);
    return kernel->versions[version][context->device] ||
           kg_device_refuse_version(context,
                                    kernel->version_names ? kernel->version_names[version] : "");
}

/* The call and the extents. False with context->message. */
static bool shape(struct kgate_context *context, struct kg_call *call, struct kgate_work *work,
                  const struct kg_kernel *kernel)
{
    *call = (struct kg_call){
        .version = kernel->versions[version_of(context, kernel)][context->device],
        .stream = context->stream,
        .threads = (int)context->threads,
    };
    return kernel->shape(context, call, work) && version_good(context, kernel);
}

bool kg_kernel_describe(struct kgate_context *context, struct kgate_work *work,
                        const struct kg_kernel *kernel)
{
    struct kg_call *call = calloc(1, kernel->state_bytes);
    const bool good =
        call ? shape(context, call, work, kernel) : kg_kernel_refuse(context, "no memory");
    free(call);
    return good;
}

bool kg_kernel_set_up(struct kgate_context *context, void **state, const struct kg_kernel *kernel)
{
    bool (*const prepare)(struct kgate_context *, void *) = kernel->prepare[context->device];
    struct kgate_work work;
    struct kg_call *call = context->allocate(context, kernel->state_bytes);
    if (!call)
        return kg_kernel_refuse(context, "no memory");
    kg_device_begin(context);
    if (!shape(context, call, &work, kernel) || !arrays_make(context, kernel, call) ||
        (context->device == KGATE_DEVICE_CUDA &&
         !kg_device_processors(context, &call->processors)) ||
        (prepare && !prepare(context, call))) {
        kg_kernel_tear_down(context, call, kernel);
        return false;
    }
    *state = call;
    return true;
}

void kg_kernel_run(void *state)
{
    ((const struct kg_call *)state)->version(state);
}

/* --- The check -------------------------------------------------------------------------------- */

/* The check's copy of an array in a GPU's case. Inputs are made again from the seed, so the case
 * need not keep large ones. Results are fetched if they are on the GPU. */
static bool copy_make(struct kgate_context *context, const struct kg_kernel_array *array,
                      const void *state, void *copies)
{
    const size_t bytes = bytes_of(context, array, state);
    void *copy = NULL;
    if (!bytes)
        return true;
    pointer_write(array, copies, NULL);
    if (array->role == KG_SCRATCH)
        return true;
    if (is_filled(array))
        copy = input_make(context, array, state);
    else if (on_gpu(context, array))
        copy = kg_device_fetch(context, pointer_read(array, state), bytes);
    else
        copy = pointer_read(array, state);
    pointer_write(array, copies, copy);
    return copy != NULL;
}

static void copy_free(const struct kgate_context *context, const struct kg_kernel_array *array,
                      const void *copies)
{
    if (bytes_of(context, array, copies) && (is_filled(array) || on_gpu(context, array)))
        free(pointer_read(array, copies));
}

static bool compare(struct kgate_context *context, const void *state, struct kgate_check *check,
                    const struct kg_kernel *kernel)
{
    return kernel->compare(state, check) ||
           kg_kernel_refuse(context, "no memory for the reference");
}

static bool gpu_compare(struct kgate_context *context, const void *state, struct kgate_check *check,
                        const struct kg_kernel *kernel)
{
    void *copies = malloc(kernel->state_bytes);
    size_t made = 0;
    if (!copies)
        return kg_kernel_refuse(context, "no memory for the check");
    memcpy(copies, state, kernel->state_bytes);
    bool good = kg_device_good(context);
    while (good && made < kernel->array_count)
        good = copy_make(context, &kernel->arrays[made++], state, copies);
    good = good && compare(context, copies, check, kernel);
    while (made)
        copy_free(context, &kernel->arrays[--made], copies);
    free(copies);
    return good;
}

static bool gpu_refill(struct kgate_context *context, const struct kg_kernel_array *array,
                       void *state, size_t bytes)
{
    void *input = input_make(context, array, state);
    const bool good = input && kg_device_upload(context, pointer_read(array, state), input, bytes);
    free(input);
    return good;
}

/* Makes the inputs where they lie, by the context's seed. */
static bool inputs_refill(struct kgate_context *context, void *state,
                          const struct kg_kernel *kernel)
{
    bool good = true;
    for (size_t i = 0; i < kernel->array_count && good; i++) {
        const struct kg_kernel_array *array = &kernel->arrays[i];
        const size_t bytes = is_filled(array) ? bytes_of(context, array, state) : 0;
        if (bytes && on_gpu(context, array))
            good = gpu_refill(context, array, state, bytes);
        else if (bytes)
            fill(context, array, state, pointer_read(array, state));
    }
    if (good && kernel->restore)
        kernel->restore(context, state);
    return good;
}

/* Makes the inputs again in place, which needs no memory. */
static bool cpu_compare(struct kgate_context *context, void *state, struct kgate_check *check,
                        const struct kg_kernel *kernel)
{
    return inputs_refill(context, state, kernel) && compare(context, state, check, kernel);
}

/* Other inputs for the call more. On the GPU `restore` has none to make. */
static bool inputs_change(struct kgate_context *context, void *state,
                          const struct kg_kernel *kernel)
{
    if (context->device == KGATE_DEVICE_CUDA && kernel->restore)
        return true;
    context->seed = kg_seed_other(context->seed);
    return inputs_refill(context, state, kernel);
}

/* Bytes of blank results before the second call: large floats. The 0xff of set-up might equal a
 * kernel's first step, as -1 is bfs's "not reached". */
enum { AGAIN = 0x7f };

static bool results_blank(struct kgate_context *context, void *state,
                          const struct kg_kernel *kernel)
{
    bool good = true;
    for (size_t i = 0; i < kernel->array_count && good; i++) {
        const struct kg_kernel_array *array = &kernel->arrays[i];
        const size_t bytes = bytes_of(context, array, state);
        if (!bytes || array->role != KG_OUTPUT)
            continue;
        if (on_gpu(context, array))
            good = kg_device_poison(context, pointer_read(array, state), bytes);
        else
            memset(pointer_read(array, state), AGAIN, bytes);
    }
    if (good && kernel->blank)
        kernel->blank(state);
    return good;
}

bool kg_kernel_check(struct kgate_context *context, void *state, struct kgate_check *check,
                     const struct kg_kernel *kernel)
{
    const bool gpu = context->device == KGATE_DEVICE_CUDA;
    struct kgate_check again = {.error = NAN};
    if (!(gpu ? gpu_compare(context, state, check, kernel)
              : cpu_compare(context, state, check, kernel)))
        return false;
    if (!(check->error <= check->tolerance))
        return true;
    if (!results_blank(context, state, kernel) || !inputs_change(context, state, kernel))
        return false;
    kg_kernel_run(state);
    if (!(gpu ? gpu_compare(context, state, &again, kernel)
              : cpu_compare(context, state, &again, kernel)))
        return false;
    check->error = kg_worse(check->error, again.error);
    return true;
}

bool kg_kernel_whole_elements(struct kgate_context *context, int64_t bytes, size_t element_bytes,
                              const char *element)
{
    return bytes % (int64_t)element_bytes == 0 ||
           kg_kernel_refuse(context, "bytes must be a multiple of %zu, the size of a %s",
                            element_bytes, element);
}
