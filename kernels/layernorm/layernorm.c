#include "layernorm/layernorm.h"

#include <float.h>
#include <math.h>

#include "common/device.h"

static void (*const versions[][2])(void *) = {
    {kg_layernorm_plain, KG_CUDA_VERSION(kg_layernorm_cuda_plain)},
    {kg_layernorm_fast, KG_CUDA_VERSION(kg_layernorm_cuda_fast)},
};

/* Uniform in [-1, 1); the last row a thousandth, with a variance of a thirtieth of epsilon. This
 * row fails if a version omits epsilon or uses another value. */
static void rows_fill(const void *state, void *array, size_t count, uint64_t seed)
{
    const size_t cols = ((const struct kg_rows *)state)->cols;
    float *x = array;
    kg_array_floats(state, x, count, seed);
    for (size_t i = count - cols; i < count; i++)
        x[i] *= 1e-3F;
}

static const struct kg_kernel_array arrays[] = {
    {KG_ARRAY(struct kg_rows, x), .role = KG_INPUT, .count = kg_rows_elements, .fill = rows_fill},
    {KG_ARRAY(struct kg_rows, y), .role = KG_OUTPUT, .count = kg_rows_elements},
    {KG_ARRAY(struct kg_rows, gamma), .role = KG_INPUT, .count = kg_rows_columns,
     .fill = kg_array_floats, .seed = 2},
    {KG_ARRAY(struct kg_rows, beta), .role = KG_INPUT, .count = kg_rows_columns,
     .fill = kg_array_floats, .seed = 3},
    {KG_ARRAY(struct kg_rows, parts), .role = KG_SCRATCH, .memory = KG_MEMORY_GPU,
     .elements = KG_ROWS_PARTS_MOST * KG_ROWS_PART_FLOATS},
};

static bool shape(struct kgate_context *context, void *state, struct kgate_work *work)
{
    return kg_rows_shape(context, state, work, 8);
}

static bool compare(const void *state, struct kgate_check *check)
{
    const struct kg_rows *rows = state;
    check->tolerance = (6 * sqrt((double)rows->cols) + 12) * (double)FLT_EPSILON / 2;
    return kg_rows_error(rows, &check->error, kg_layernorm_reference);
}

static const struct kg_kernel layernorm_kernel = {
    .state_bytes = sizeof(struct kg_rows),
    KG_KERNEL_ARRAYS(arrays),
    KG_KERNEL_VERSIONS(kg_rows_versions, KG_ROWS_VERSION, versions),
    .shape = shape,
    .prepare = {[KGATE_DEVICE_CUDA] = KG_CUDA_VERSION(kg_layernorm_cuda_prepare)},
    .compare = compare,
};
KG_KERNEL_WORKLOAD(
    layernorm,
    .summary = "Normalises each row of a matrix to mean 0 and variance 1: two passes over memory.",
    .params = kg_rows_params, .param_count = KG_ROWS_PARAMS, .devices = KG_KERNEL_DEVICES,
    .revision = 1);
