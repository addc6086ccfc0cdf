/* hopper.cuh: whether this build and device can use device/code/hopper.cuh. */
#pragma once
#include "common/common.h"
#include "device/code/hopper.cuh"

/* False with context->message and context->unavailable. */
static bool kg_hopper_refuse(struct kgate_context *context, const char *why)
{
    context->unavailable = true;
    return kg_kernel_refuse(context, "version 'hopper' %s", why);
}

/* Whether a version `hopper` can run: the build has its code, the device fits, and the driver knows
 * tensor maps. False with context->message; also context->unavailable if the reason is no error of
 * CUDA's. */
static bool kg_hopper_available(struct kgate_context *context)
{
    int device = 0, major = 0, minor = 0;
#if !defined(KGATE_SM90A) && !defined(KGATE_EMULATE_CUDA)
    return kg_hopper_refuse(context,
                            "needs a kgate compiled for architecture 90 by CUDA 12 or later");
#endif
    cudaError_t status = cudaGetDevice(&device);
    if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
    if (status != cudaSuccess)
        return kg_kernel_refuse(context, "CUDA: %s", cudaGetErrorString(status));
    if (major != 9 || minor != 0)
        return kg_hopper_refuse(context, "needs a GPU of compute capability 9.0, no other");
    return kg_tensor_map_known() ||
           kg_hopper_refuse(context, "needs a driver of CUDA 12.0 or later");
}
