/* cuda_check.h: the buffers of a CUDA source on the device: filled, and compared with what is
 * expected. Not thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/driver.h"
#include "kgate/plugin.h"
#include "suite/sources/cuda_launch.h"

struct kg_cuda_device {
    const struct kg_driver *driver;
    void *stream; /* what is done here is done on it, and waited for */
};

/* Fills the buffer at `address`. Returns the driver's code, KG_DRIVER_OUT_OF_MEMORY where the host
 * has none. */
int kg_cuda_buffer_fill(const struct kg_cuda_device *device,
                        const struct kg_cuda_argument *argument, uint64_t address);

/* Compares, after one call on buffers as filled: what has `expect` with that, and what is no `out`
 * buffer with what it was filled with.
 * addresses  of buffers, by argument
 * found      the largest error, and the tolerance: the error of an element is the difference over the
 *            larger of 1 and the expected value. Of buffers of several tolerances that which comes
 *            nearest to its own
 * message    on failure the first element that is wrong, or why comparing is impossible */
bool kg_cuda_check(const struct kg_cuda_device *device, const struct kg_cuda_launch *launch,
                   const uint64_t *addresses, struct kgate_check *found, char *message,
                   size_t message_bytes);
