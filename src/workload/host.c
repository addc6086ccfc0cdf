#include "workload/host.h"

#include <stdlib.h>
#include <string.h>

#include "kgate/profiler.h"

enum { ALIGNMENT = 64, PAGE = 4096, STAGGER = 5 * ALIGNMENT, PLACES = 12 };

/* Lies in the 64 bytes before what the workload is given. */
struct header {
    size_t bytes;
    void *start;
};

/* Where in its page the next allocation begins. The same in every process, because a loop that
 * reads one array and writes another runs a third slower when both lie at the same place in their
 * pages (stores then seem to hit the loads, "4K aliasing"); and a different place for each, to
 * avoid it. */
static size_t place_next(struct kg_host *host)
{
    return ALIGNMENT + STAGGER * (host->allocations++ % PLACES);
}

static void *host_allocate(struct kgate_context *context, size_t bytes)
{
    struct kg_host *host = context->host;
    if (bytes > SIZE_MAX - 2 * PAGE)
        return NULL;
    /* calloc gives untouched zero pages for large blocks, where aligned_alloc and memset would
     * touch them all. */
    char *start = calloc(1, bytes + 2 * PAGE);
    if (!start)
        return NULL;
    char *memory = start + (PAGE - (uintptr_t)start % PAGE) + place_next(host);
    *(struct header *)(void *)(memory - ALIGNMENT) =
        (struct header){.bytes = bytes, .start = start};
    host->allocated_bytes += bytes;
    if (kgate_profiling)
        kgate_memory_allocated(bytes);
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
    if (kgate_profiling)
        kgate_memory_released(header->bytes);
    free(header->start);
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
                                         .report = context_report}};
    host->context.host = host;
}
