/* The host's part of device.h; without CUDA all of it. */
#include <stdlib.h>

#include "common/common.h"
#include "common/device.h"

#ifndef KGATE_HAVE_CUDA
static bool refuse(struct kgate_context *context)
{
    return kg_kernel_refuse(context, "this kgate was built without CUDA");
}

void kg_device_begin(const struct kgate_context *context)
{
    (void)context;
}

bool kg_device_upload(struct kgate_context *context, void *device, const void *host, size_t bytes)
{
    (void)device, (void)host, (void)bytes;
    return refuse(context);
}

bool kg_device_download(struct kgate_context *context, void *host, const void *device, size_t bytes)
{
    (void)device, (void)host, (void)bytes;
    return refuse(context);
}

bool kg_device_poison(struct kgate_context *context, void *device, size_t bytes)
{
    (void)device, (void)bytes;
    return refuse(context);
}

bool kg_device_good(struct kgate_context *context)
{
    return refuse(context);
}

bool kg_device_processors(struct kgate_context *context, unsigned *processors)
{
    (void)processors;
    return refuse(context);
}
#endif

unsigned kg_device_flight(size_t accesses, unsigned threads, unsigned most, unsigned processors)
{
    unsigned flight = most;
    while (flight > 1 && accesses / threads / flight < 2 * (size_t)processors)
        flight /= 2;
    return flight;
}

/* Not by the context's allocator: this is kgate's own checking, not the workload's memory. */
static void *host_memory(struct kgate_context *context, size_t bytes)
{
    void *memory = malloc(bytes);
    if (!memory)
        kg_kernel_refuse(context, "no memory for %zu bytes on the host", bytes);
    return memory;
}

uint64_t *kg_device_input_words(struct kgate_context *context, size_t n, uint64_t seed)
{
    uint64_t *input = host_memory(context, n * sizeof *input);
    if (input)
        kg_fill_words(input, n, seed, context->threads);
    return input;
}

static void *device_memory(struct kgate_context *context, size_t bytes)
{
    void *memory = context->allocate_device(context, bytes);
    if (!memory)
        kg_kernel_refuse(context, "no memory for %zu bytes on the GPU", bytes);
    return memory;
}

/* A copy of `input`, which is freed, on the device. */
static void *device_copy(struct kgate_context *context, void *input, size_t bytes)
{
    void *memory = input ? device_memory(context, bytes) : NULL;
    if (memory && !kg_device_upload(context, memory, input, bytes)) {
        context->release_device(context, memory);
        memory = NULL;
    }
    free(input);
    return memory;
}

uint64_t *kg_device_words(struct kgate_context *context, size_t n, uint64_t seed)
{
    return device_copy(context, kg_device_input_words(context, n, seed), n * sizeof(uint64_t));
}

void *kg_device_blank(struct kgate_context *context, size_t bytes)
{
    void *memory = device_memory(context, bytes);
    if (memory && !kg_device_poison(context, memory, bytes)) {
        context->release_device(context, memory);
        memory = NULL;
    }
    return memory;
}

void *kg_device_fetch(struct kgate_context *context, const void *device, size_t bytes)
{
    void *copy = kg_device_good(context) ? host_memory(context, bytes) : NULL;
    if (copy && !kg_device_download(context, copy, device, bytes)) {
        free(copy);
        copy = NULL;
    }
    return copy;
}

bool kg_device_refuse_version(struct kgate_context *context, const char *version)
{
    context->unavailable = true;
    return kg_kernel_refuse(context, "version '%s' does not exist on %s", version,
                            context->device == KGATE_DEVICE_CUDA ? "the GPU" : "the CPU");
}
