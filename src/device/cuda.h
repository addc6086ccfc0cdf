/* cuda.h: the CUDA devices of this machine, for the facts. Present in every build; without CUDA, or
 * without a driver at run time, it says why there is no device. Plain C interface. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct kg_cuda_device {
    char name[256];
    char uuid[48]; /* "GPU-…" as nvidia-smi writes it */
    int major;     /* compute capability */
    int minor;
    uint64_t memory_bytes;
};

/* The number of devices; fills at most `most` of them.
 * driver  the driver's CUDA version as 1000 * major + 10 * minor; 0 without a driver
 * why     where the result is 0: a phrase why, into `why_bytes` bytes */
size_t kg_cuda_devices(struct kg_cuda_device *devices, size_t most, int *driver, char *why,
                       size_t why_bytes);

#ifdef __cplusplus
}
#endif
