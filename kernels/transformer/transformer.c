#include "transformer/transformer.h"

#include "common/common.h"
#include "common/device.h"
#include "transformer/transformer_device.h"

const char *const kg_transformer_versions[] = {"plain", "fast", NULL};

bool kg_transformer_possible(struct kgate_context *context, int64_t d_model, int64_t num_heads,
                             enum kg_transformer_version version)
{
    if (context->device == KGATE_DEVICE_CUDA && !kg_transformer_device_has(version))
        return kg_device_refuse_version(context, kg_transformer_versions[version]);
    return d_model % num_heads == 0 ||
           kg_kernel_refuse(context, "d_model %lld is not a multiple of num_heads %lld",
                            (long long)d_model, (long long)num_heads);
}
