#include "transformer/transformer.h"

#include <math.h>

#include "common/common.h"
#include "common/device.h"
#include "transformer/transformer_device.h"

const char *const kg_transformer_versions[] = {"plain", "fast", NULL};

void kg_floats_blank(float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = NAN;
}

bool kg_transformer_possible(struct kgate_context *context, const struct kg_model *model,
                             size_t rows, enum kg_transformer_version version)
{
    const size_t floats_most = KG_ARRAY_BYTES_MOST / sizeof(float);
    const struct kg_layout activations = kg_activations_layout(model, rows);
    if (context->device == KGATE_DEVICE_CUDA && !kg_transformer_device_has(version))
        return kg_device_refuse_version(context, kg_transformer_versions[version]);
    if (model->d_model % model->num_heads != 0)
        return kg_kernel_refuse(context, "d_model %zu is not a multiple of num_heads %zu",
                                model->d_model, model->num_heads);
    if (model->parameters.floats > floats_most)
        return kg_kernel_refuse(context, "the parameters of such a model are above 64 GiB");
    if (activations.floats > floats_most)
        return kg_kernel_refuse(context, "the activations of such a batch are above 64 GiB");
    return true;
}
