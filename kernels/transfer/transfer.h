/* transfer.h: copies between the host's memory and the GPU's. On the GPU only.
 *
 * direction to_device, to_host: `bytes` one way; both: there and back, 2 * `bytes`. memory pinned:
 * page-locked, which the GPU reads and writes itself; pageable: ordinary memory. The driver copies
 * pageable memory through its own page-locked buffer, while the call waits. bytes and items: moved
 * bytes; no flops. Error: number of arrived bytes that differ from the sent ones, tolerance 0. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kgate/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

struct kg_transfer {
    void *device;
    void *source;      /* the host's; NULL for to_host */
    void *destination; /* the host's; NULL for to_device */
    size_t bytes;
    bool pinned;
    void *queue; /* the GPU's stream */
};

/* Puts the copies on the stream: from source to the device, then from the device to destination. A
 * NULL end has no copy. */
void kg_transfer_start(const struct kg_transfer *transfer);

extern const struct kgate_workload kg_kernel_transfer;

#ifdef __cplusplus
}
#endif
