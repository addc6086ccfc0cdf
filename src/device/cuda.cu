#include "device/cuda.h"

#include <cstdio>
#include <cuda_runtime_api.h>

static void uuid_format(const cudaUUID_t *uuid, char *text, size_t bytes)
{
    const unsigned char *b = (const unsigned char *)uuid->bytes;
    snprintf(text, bytes,
             "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1],
             b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14],
             b[15]);
}

size_t kg_cuda_devices(struct kg_cuda_device *devices, size_t most, int *driver, char *why,
                       size_t why_bytes)
{
    int count = 0;
    *driver = 0;
    if (cudaDriverGetVersion(driver) != cudaSuccess || *driver == 0) {
        *driver = 0;
        snprintf(why, why_bytes, "no NVIDIA driver is installed");
        return 0;
    }
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess) {
        snprintf(why, why_bytes, "%s", cudaGetErrorString(status));
        return 0;
    }
    size_t found = 0;
    for (int i = 0; i < count && found < most; i++) {
        cudaDeviceProp properties;
        const cudaError_t read = cudaGetDeviceProperties(&properties, i);
        if (read != cudaSuccess) {
            snprintf(why, why_bytes, "device %d: %s", i, cudaGetErrorString(read));
            continue;
        }
        struct kg_cuda_device *device = &devices[found++];
        snprintf(device->name, sizeof device->name, "%s", properties.name);
        uuid_format(&properties.uuid, device->uuid, sizeof device->uuid);
        device->major = properties.major;
        device->minor = properties.minor;
        device->memory_bytes = properties.totalGlobalMem;
    }
    if (!count)
        snprintf(why, why_bytes, "the driver reports no device");
    return found;
}
