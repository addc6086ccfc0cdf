/* cuda_source.h: a kernel of CUDA C++, PTX or a binary as a workload. One at a time in a process;
 * not thread-safe. To be called in a worker process only. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "device/driver.h"
#include "kgate/plugin.h"
#include "suite/sources/cuda_launch.h"
#include "suite/sources/source.h"

/* Reads the file, compiles it where it is CUDA C++, and gives a workload that loads and launches it. It
 * is valid until the next one is opened. No device is needed before its set_up.
 * The variable KGATE_NVRTC of the environment names the compiler's library, where it is not where the
 * loader looks.
 * returns  NULL with KG_ERROR_USAGE, which has the compiler's own text; KG_ERROR_MEASURE with
 *          opening->unavailable where there is no compiler */
const struct kgate_workload *kg_cuda_source_open(struct kg_source_opening *opening,
                                                 struct kg_error *err);

/* cuda_check.c: the buffers of a CUDA source on the device: filled, and compared with what is
 * expected. Not thread-safe. */

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
