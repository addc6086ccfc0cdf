/* The host's part of device.h; without CUDA all of it. */
#include "common/common.h"
#include "common/device.h"

#ifndef KGATE_HAVE_CUDA
static bool refuse(struct kgate_context *context)
{
    return kg_kernel_refuse(context, "this kgate was built without CUDA");
}

bool kg_device_upload(struct kgate_context *context, void *device, const void *host, size_t bytes)
{
    (void)device, (void)host, (void)bytes;
    return refuse(context);
}

bool kg_device_download(struct kgate_context *context, void *host, const void *device, size_t bytes)
{
    (void)device, (void)host, (void)bytes;
    return refuse(context);
}

bool kg_device_poison(struct kgate_context *context, void *device, size_t bytes)
{
    (void)device, (void)bytes;
    return refuse(context);
}

bool kg_device_good(struct kgate_context *context)
{
    return refuse(context);
}
#endif

bool kg_device_refuse_version(struct kgate_context *context, const char *version)
{
    context->unavailable = true;
    return kg_kernel_refuse(context, "version '%s' does not exist on %s", version,
                            context->device == KGATE_DEVICE_CUDA ? "the GPU" : "the CPU");
}
