#include "layernorm/layernorm.h"

#include <float.h>
#include <math.h>

#include "common/device.h"

static bool describe(struct kgate_context *context, struct kgate_work *work)
{
    return kg_rows_describe(context, work, 8);
}

static const struct kg_rows_family family = {
    .scale = 1,
    .affine = true,
    .cpu = {kg_layernorm_plain, kg_layernorm_fast},
#ifdef KGATE_HAVE_CUDA
    .cuda = {kg_layernorm_cuda_plain, kg_layernorm_cuda_fast},
    .cuda_prepare = {NULL, kg_layernorm_cuda_prepare},
#endif
    .reference = kg_layernorm_reference,
};

static bool set_up(struct kgate_context *context, void **state)
{
    return kg_rows_set_up(context, state, &family);
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    const struct kg_rows *rows = state;
    check->tolerance = (6 * sqrt((double)rows->cols) + 12) * (double)FLT_EPSILON / 2;
    return kg_rows_check(context, rows, &family, check);
}

const struct kgate_workload kg_kernel_layernorm = {
    .name = "layernorm",
    .summary = "Normalises each row of a matrix to mean 0 and variance 1: two passes over memory.",
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
