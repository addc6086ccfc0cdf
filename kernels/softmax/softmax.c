#include "softmax/softmax.h"

#include <float.h>

#include "common/device.h"

static void (*const versions[][2])(void *) = {
    {kg_softmax_plain, KG_CUDA_VERSION(kg_softmax_cuda_plain)},
    {kg_softmax_fast, KG_CUDA_VERSION(kg_softmax_cuda_fast)},
};

/* Uniform in [-8, 8); the last row in [92, 108). Its exponentials overflow a float if a version
 * does not subtract the row's maximum first. */
static void wide_floats(const void *state, void *array, size_t count, uint64_t seed)
{
    const size_t cols = ((const struct kg_rows *)state)->cols;
    float *x = array;
    kg_array_floats(state, x, count, seed);
    for (size_t i = 0; i < count; i++)
        x[i] = 8 * x[i] + (i >= count - cols ? 100 : 0);
}

static const struct kg_kernel_array arrays[] = {
    {KG_ARRAY(struct kg_rows, x), .role = KG_INPUT, .count = kg_rows_elements, .fill = wide_floats},
    {KG_ARRAY(struct kg_rows, y), .role = KG_OUTPUT, .count = kg_rows_elements},
    {KG_ARRAY(struct kg_rows, parts), .role = KG_SCRATCH, .memory = KG_MEMORY_GPU,
     .elements = KG_ROWS_PARTS_MOST * KG_ROWS_PART_FLOATS},
};

static bool shape(struct kgate_context *context, void *state, struct kgate_work *work)
{
    return kg_rows_shape(context, state, work, 4);
}

static bool compare(const void *state, struct kgate_check *check)
{
    const struct kg_rows *rows = state;
    check->tolerance = ((double)rows->cols / 2 + 24) * (double)FLT_EPSILON / 2;
    return kg_rows_error(rows, &check->error, kg_softmax_reference);
}

static const struct kg_kernel softmax_kernel = {
    .state_bytes = sizeof(struct kg_rows),
    KG_KERNEL_ARRAYS(arrays),
    KG_KERNEL_VERSIONS(kg_rows_versions, KG_ROWS_VERSION, versions),
    .shape = shape,
    .prepare = {[KGATE_DEVICE_CUDA] = KG_CUDA_VERSION(kg_softmax_cuda_prepare)},
    .compare = compare,
};
KG_KERNEL_WORKLOAD(
    softmax, .summary = "Softmax of each row of a matrix: exponentials beside memory traffic.",
    .params = kg_rows_params, .param_count = KG_ROWS_PARAMS, .devices = KG_KERNEL_DEVICES,
    .revision = 1);
