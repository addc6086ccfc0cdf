/* host.h: kgate's side of the workload interface: the context with its counting allocator. One for
 * a process; not thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kgate/plugin.h"

struct kg_host {
    struct kgate_context context; /* handed to the workload; its `host` is this struct */
    uint64_t allocated_bytes;     /* now */
    uint64_t allocated_peak_bytes;
    uint64_t allocations; /* so far: where in its page the next one begins */
};

/* Fills in everything but the values. `host` must not move afterwards. */
void kg_host_start(struct kg_host *host, const struct kgate_value *values, enum kgate_device device,
                   unsigned threads, uint64_t seed);
