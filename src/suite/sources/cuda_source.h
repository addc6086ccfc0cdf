/* cuda_source.h: a kernel of CUDA C++, PTX or a binary as a workload. Only for a worker process, with one open workload
 * at a time; not thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "device/driver.h"
#include "kgate/plugin.h"
#include "suite/sources/cuda_launch.h"
#include "suite/sources/source.h"

/* Reads the file, compiles CUDA C++, and makes a workload that loads and launches the kernel. The workload is valid
 * until the next call of this function. It needs no device before its set_up. If the loader does not find the
 * compiler's library, the environment variable KGATE_NVRTC names the library.
 * returns  NULL on failure.
 * err      KG_ERROR_USAGE, with the compiler's messages. If there is no compiler: KG_ERROR_MEASURE, and
 *          opening->unavailable is set. */
const struct kgate_workload *kg_cuda_source_open(struct kg_source_opening *opening,
                                                 struct kg_error *err);

/* cuda_check.c: fills the buffers of a CUDA source on the device, and compares them with the expected values. Not
 * thread-safe. */

struct kg_cuda_device {
    const struct kg_driver *driver;
    void *stream; /* stream of all copies; each function waits for it */
};

/* Fills the buffer at `address`. Returns the driver's code, or KG_DRIVER_OUT_OF_MEMORY if the host has no memory. */
int kg_cuda_buffer_fill(const struct kg_cuda_device *device,
                        const struct kg_cuda_argument *argument, uint64_t address);

/* Checks the buffers after one call on freshly filled buffers. A buffer with `expect` must have the expected values. A
 * buffer that is not `out` must be unchanged.
 * addresses  addresses of the buffers, by argument
 * found      Largest error, and its tolerance. The error of an element is the difference, divided by the larger of 1
 *            and the expected value. If tolerances differ: the error with the largest ratio to its tolerance.
 * message    On failure: the first wrong element, or the reason why no comparison is possible. */
bool kg_cuda_check(const struct kg_cuda_device *device, const struct kg_cuda_launch *launch,
                   const uint64_t *addresses, struct kgate_check *found, char *message,
                   size_t message_bytes);
