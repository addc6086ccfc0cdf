#include "softmax/softmax.h"

#include <float.h>

#include "common/device.h"

static bool describe(struct kgate_context *context, struct kgate_work *work)
{
    return kg_rows_describe(context, work, 4);
}

static const struct kg_rows_family family = {
    .scale = 8,
    .affine = false,
    .cpu = {kg_softmax_plain, kg_softmax_fast},
#ifdef KGATE_HAVE_CUDA
    .cuda = {kg_softmax_cuda_plain, kg_softmax_cuda_fast},
    .cuda_prepare = {NULL, kg_softmax_cuda_prepare},
#endif
    .reference = kg_softmax_reference,
};

static bool set_up(struct kgate_context *context, void **state)
{
    return kg_rows_set_up(context, state, &family);
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    const struct kg_rows *rows = state;
    check->tolerance = ((double)rows->cols / 2 + 24) * (double)FLT_EPSILON / 2;
    return kg_rows_check(context, rows, &family, check);
}

const struct kgate_workload kg_kernel_softmax = {
    .name = "softmax",
    .summary = "Softmax of each row of a matrix: exponentials beside memory traffic.",
    .params = kg_rows_params,
    .param_count = KG_ROWS_PARAMS,
    .devices = KG_KERNEL_DEVICES,
    .revision = 1,
    .describe = describe,
    .set_up = set_up,
    .run = kg_rows_run,
    .check = check,
    .tear_down = kg_rows_tear_down,
};
