/* Stands in for cuda.cu in a build without CUDA. */
#ifndef KGATE_HAVE_CUDA
#include "device/cuda.h"

#include <stdio.h>

size_t kg_cuda_devices(struct kg_cuda_device *devices, size_t most, int *driver, char *why,
                       size_t why_bytes)
{
    (void)devices;
    (void)most;
    *driver = 0;
    snprintf(why, why_bytes, "this kgate was built without CUDA");
    return 0;
}
#else
typedef int kg_translation_unit_is_not_empty;
#endif
