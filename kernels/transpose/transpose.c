#include "transpose/transpose.h"

#include <string.h>

#include "common/common.h"
#include "common/device.h"

enum { ROWS, COLS, VERSION, PARAMS };

static const char *const names[] = {"plain", "tiled", "fast", NULL};
static void (*const versions[][2])(void *) = {
    {kg_transpose_plain, KG_CUDA_VERSION(kg_transpose_cuda_plain)},
    {NULL, KG_CUDA_VERSION(kg_transpose_cuda_tiled)},
    {kg_transpose_fast, KG_CUDA_VERSION(kg_transpose_cuda_fast)},
};
static const struct kgate_param params[PARAMS] = {
    KG_PARAM_WHOLE("rows", "1024", 1, 1e9, "rows of the matrix"),
    KG_PARAM_WHOLE("cols", "1024", 1, 1e9, "columns of the matrix"),
    KG_PARAM_CHOICE(
        "version", "fast", names,
        "plain: row by row, fast: in blocks, all threads (GPU: 16 bytes at once); GPU only: "
        "tiled: by way of shared memory"),
};

static size_t floats(const void *state)
{
    const struct kg_transpose *transpose = state;
    return transpose->rows * transpose->cols;
}

static const struct kg_kernel_array arrays[] = {
    {KG_ARRAY(struct kg_transpose, a), .role = KG_INPUT, .count = floats, .fill = kg_array_floats},
    {KG_ARRAY(struct kg_transpose, b), .role = KG_OUTPUT, .count = floats},
};

static bool shape(struct kgate_context *context, void *state, struct kgate_work *work)
{
    struct kg_transpose *transpose = state;
    transpose->rows = (size_t)context->values[ROWS].integer;
    transpose->cols = (size_t)context->values[COLS].integer;
    const uint64_t bytes =
        kg_array_bytes(context->values[ROWS].integer, context->values[COLS].integer, sizeof(float));
    *work = (struct kgate_work){.items = (double)bytes / sizeof(float),
                                .bytes = 2 * (double)bytes,
                                .written_bytes = (double)bytes};
    return bytes || kg_kernel_refuse(context, "a matrix of so many rows and cols is above 64 GiB");
}

static bool compare(const void *state, struct kgate_check *check)
{
    const struct kg_transpose *transpose = state;
    *check = (struct kgate_check){0};
    for (size_t i = 0; i < transpose->rows; i++)
        for (size_t j = 0; j < transpose->cols; j++)
            check->error +=
                memcmp(&transpose->a[i * transpose->cols + j],
                       &transpose->b[kg_transpose_reference(transpose, i, j)], sizeof(float)) != 0;
    return true;
}

static const struct kg_kernel transpose_kernel = {
    .state_bytes = sizeof(struct kg_transpose),
    KG_KERNEL_ARRAYS(arrays),
    KG_KERNEL_VERSIONS(names, VERSION, versions),
    .shape = shape,
    .compare = compare,
};
KG_KERNEL_WORKLOAD(transpose,
                   .summary = "Transposes a matrix of floats: memory bandwidth across the grain.",
                   .params = params, .param_count = PARAMS, .devices = KG_KERNEL_DEVICES,
                   .revision = 1);
