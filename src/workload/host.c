#include "workload/host.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

/* Lies in the 64 bytes before what the workload is given. */
struct header {
    size_t bytes;
    void *start;
};

static void *host_allocate(struct kgate_context *context, size_t bytes)
{
    struct kg_host *host = context->host;
    if (bytes > SIZE_MAX - 2 * ALIGNMENT)
        return NULL;
    if (host->limit_bytes && bytes > host->limit_bytes - host->allocated_bytes)
        return NULL;
    /* calloc gives untouched zero pages for large blocks, where aligned_alloc and memset would
     * touch them all. */
    char *start = calloc(1, bytes + 2 * ALIGNMENT);
    if (!start)
        return NULL;
    const size_t offset = 2 * ALIGNMENT - (uintptr_t)start % ALIGNMENT;
    char *memory = start + offset;
    *(struct header *)(void *)(memory - ALIGNMENT) =
        (struct header){.bytes = bytes, .start = start};
    host->allocated_bytes += bytes;
    if (host->allocated_bytes > host->allocated_peak_bytes)
        host->allocated_peak_bytes = host->allocated_bytes;
    return memory;
}

static void host_release(struct kgate_context *context, void *memory)
{
    if (!memory)
        return;
    struct kg_host *host = context->host;
    const struct header *header = (const void *)((char *)memory - ALIGNMENT);
    host->allocated_bytes -= header->bytes;
    free(header->start);
}

void kg_host_start(struct kg_host *host, const struct kgate_value *values, enum kgate_device device,
                   unsigned threads, uint64_t seed)
{
    *host = (struct kg_host){.context = {.values = values,
                                         .device = device,
                                         .threads = threads,
                                         .seed = seed,
                                         .allocate = host_allocate,
                                         .release = host_release}};
    host->context.host = host;
}
