#include "common/device.h"

#include "common/common.h"
#include "device/code/launch.cuh"

static bool good(struct kgate_context *context, cudaError_t status)
{
    return status == cudaSuccess ||
           kg_kernel_refuse(context, "CUDA: %s", cudaGetErrorString(status));
}

extern "C" bool kg_device_upload(struct kgate_context *context, void *device, const void *host,
                                 size_t bytes)
{
    return good(context, cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice,
                                         (cudaStream_t)context->stream)) &&
           good(context, cudaStreamSynchronize((cudaStream_t)context->stream));
}

extern "C" bool kg_device_download(struct kgate_context *context, void *host, const void *device,
                                   size_t bytes)
{
    return good(context, cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost,
                                         (cudaStream_t)context->stream)) &&
           good(context, cudaStreamSynchronize((cudaStream_t)context->stream));
}

extern "C" bool kg_device_poison(struct kgate_context *context, void *device, size_t bytes)
{
    return good(context, cudaMemsetAsync(device, 0xff, bytes, (cudaStream_t)context->stream)) &&
           good(context, cudaStreamSynchronize((cudaStream_t)context->stream));
}

extern "C" void kg_device_begin(const struct kgate_context *context)
{
    if (context->device == KGATE_DEVICE_CUDA)
        (void)cudaGetLastError();
}

extern "C" bool kg_device_good(struct kgate_context *context)
{
    return good(context, cudaStreamSynchronize((cudaStream_t)context->stream)) &&
           good(context, cudaGetLastError());
}

extern "C" bool kg_device_processors(struct kgate_context *context, unsigned *processors)
{
    int device = 0, count = 0;
    cudaError_t status = cudaGetDevice(&device);
    if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
    *processors = static_cast<unsigned>(count);
    return good(context, status);
}
