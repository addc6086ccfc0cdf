#include "suite/sources/plugin_host.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "kgate/profiler.h"

enum { ALIGNMENT = 64, PAGE = 4096, STAGGER = 5 * ALIGNMENT, PLACES = 12 };

/* The header of an allocation, in the 64 bytes before the workload's memory. */
struct kg_host_memory {
    size_t bytes;
    void *start;
    bool pinned;
    struct kg_host_memory *next, *previous;
};
_Static_assert(sizeof(struct kg_host_memory) <= ALIGNMENT, "lies before what is given");

struct kg_device_memory {
    uint64_t address;
    size_t bytes;
};

/* The offset of the next allocation in its page. If two arrays have the same offset, a loop that reads one and writes
 * the other runs a third slower ("4K aliasing": stores seem to hit the loads). So offsets differ between allocations,
 * and repeat in every process. */
static size_t place_next(struct kg_host *host)
{
    return ALIGNMENT + STAGGER * (host->allocations++ % PLACES);
}

static struct kg_host_memory *header_of(void *memory)
{
    return (void *)((char *)memory - ALIGNMENT);
}

/* Counts a new block and returns the workload's memory inside the block. */
static void *memory_take(struct kg_host *host, char *start, size_t bytes, bool pinned)
{
    if (!start)
        return NULL;
    char *memory = start + (PAGE - (uintptr_t)start % PAGE) + place_next(host);
    struct kg_host_memory *header = header_of(memory);
    *header = (struct kg_host_memory){
        .bytes = bytes, .start = start, .pinned = pinned, .next = host->first};
    if (host->first)
        host->first->previous = header;
    host->first = header;
    host->allocated_bytes += bytes;
    if (kgate_profiling)
        kgate_memory_allocated(bytes);
    if (host->allocated_bytes > host->allocated_peak_bytes)
        host->allocated_peak_bytes = host->allocated_bytes;
    return memory;
}

static void memory_unlink(struct kg_host *host, const struct kg_host_memory *header)
{
    if (header->next)
        header->next->previous = header->previous;
    if (header->previous)
        header->previous->next = header->next;
    else
        host->first = header->next;
}

static void memory_free(struct kg_host *host, const struct kg_host_memory *header)
{
    host->allocated_bytes -= header->bytes;
    if (kgate_profiling)
        kgate_memory_released(header->bytes);
    if (header->pinned)
        host->driver->host_free(header->start);
    else
        free(header->start);
}

static void *host_allocate(struct kgate_context *context, size_t bytes)
{
    if (bytes > SIZE_MAX - 2 * PAGE)
        return NULL;
    /* For large blocks calloc returns untouched zero pages; aligned_alloc with memset would touch every page. */
    return memory_take(context->host, calloc(1, bytes + 2 * PAGE), bytes, false);
}

static void host_release(struct kgate_context *context, void *memory)
{
    if (!memory)
        return;
    memory_unlink(context->host, header_of(memory));
    memory_free(context->host, header_of(memory));
}

static void *pinned_allocate(struct kgate_context *context, size_t bytes)
{
    struct kg_host *host = context->host;
    void *start = NULL;
    if (!host->driver || bytes > SIZE_MAX - 2 * PAGE ||
        host->driver->host_allocate(&start, bytes + 2 * PAGE, 0) != KG_DRIVER_SUCCESS)
        return NULL;
    memset(start, 0, bytes + 2 * PAGE);
    return memory_take(host, start, bytes, true);
}

static void *device_allocate(struct kgate_context *context, size_t bytes)
{
    struct kg_host *host = context->host;
    uint64_t address = 0;
    void *memory;
    if (!host->driver)
        return NULL;
    kg_grow(&host->device_memory, host->device_memory_count, &host->device_memory_capacity,
            sizeof *host->device_memory);
    host->limit_met = host->limit_bytes && bytes > host->limit_bytes - host->device_bytes;
    if (host->limit_met ||
        host->driver->memory_allocate(&address, bytes ? bytes : 1) != KG_DRIVER_SUCCESS)
        return NULL;
    host->device_memory[host->device_memory_count++] = (struct kg_device_memory){address, bytes};
    host->device_bytes += bytes;
    if (host->device_bytes > host->device_peak_bytes)
        host->device_peak_bytes = host->device_bytes;
    /* kernels take the driver's address as a pointer */
    _Static_assert(sizeof memory == sizeof address, "device addresses are pointers");
    memcpy(&memory, &address, sizeof memory);
    return memory;
}

static void device_release(struct kgate_context *context, void *memory)
{
    struct kg_host *host = context->host;
    for (size_t i = 0; memory && i < host->device_memory_count; i++)
        if (host->device_memory[i].address == (uintptr_t)memory) {
            host->driver->memory_free(host->device_memory[i].address);
            host->device_bytes -= host->device_memory[i].bytes;
            host->device_memory[i] = host->device_memory[--host->device_memory_count];
            return;
        }
}

void kg_host_report(struct kg_host *host, const char *name, double value)
{
    const size_t length = strlen(name);
    size_t i = 0;
    while (i < host->report_count && strcmp(host->reports[i].name, name) != 0)
        i++;
    if (i == KG_REPORTS_MOST || length > KG_REPORT_NAME_MOST)
        return;
    if (i == host->report_count) {
        memcpy(host->reports[i].name, name, length + 1);
        host->report_count++;
    }
    host->reports[i].value = value;
}

static void context_report(struct kgate_context *context, const char *name, double value)
{
    kg_host_report(context->host, name, value);
}

void kg_host_start(struct kg_host *host, const struct kgate_value *values, enum kgate_device device,
                   unsigned threads, uint64_t seed)
{
    *host = (struct kg_host){.context = {.values = values,
                                         .device = device,
                                         .threads = threads,
                                         .seed = seed,
                                         .allocate = host_allocate,
                                         .release = host_release,
                                         .allocate_device = device_allocate,
                                         .release_device = device_release,
                                         .allocate_pinned = pinned_allocate,
                                         .release_pinned = host_release,
                                         .report = context_report}};
    host->context.host = host;
}

void kg_host_use_device(struct kg_host *host, const struct kg_driver *driver, void *stream,
                        uint64_t limit_bytes)
{
    host->driver = driver;
    host->context.stream = stream;
    host->limit_bytes = limit_bytes;
}

void kg_host_end(struct kg_host *host)
{
    while (host->first) {
        const struct kg_host_memory *header = host->first;
        host->first = header->next;
        memory_free(host, header);
    }
    while (host->device_memory_count)
        host->driver->memory_free(host->device_memory[--host->device_memory_count].address);
    free(host->device_memory);
    host->device_memory = NULL;
    host->device_memory_capacity = 0;
}
