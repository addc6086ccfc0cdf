#include "reduce/reduce.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "common/common.h"
#include "common/device.h"

enum { BYTES, VERSION, PARAMS };

static const char *const names[] = {"plain", "vector", "fast", NULL};
static void (*const versions[][2])(void *) = {
    {kg_reduce_plain, KG_CUDA_VERSION(kg_reduce_cuda_plain)},
    {NULL, KG_CUDA_VERSION(kg_reduce_cuda_vector)},
    {kg_reduce_fast, KG_CUDA_VERSION(kg_reduce_cuda_fast)},
};
static const struct kgate_param params[PARAMS] = {
    KG_PARAM_BYTES("4194292B", 4, UINT64_C(8) << 30, "size of the array"),
    KG_PARAM_CHOICE(
        "version", "fast", names,
        "plain: one accumulator, fast: many, and all threads; GPU only: vector: 16 bytes at once"),
};

static size_t floats(const void *state)
{
    return ((const struct kg_reduce *)state)->n;
}

/* Uniform in [-1, 1), but the last REST are larger, by an eighth of sqrt(n): as much as all others
 * come to, so that a dropped rest shows in an array of any size. */
static void rest_fill(const void *state, void *array, size_t count, uint64_t seed)
{
    enum { REST = 64 };
    const float scale = fmaxf(1, sqrtf((float)count) / 8);
    float *x = array;
    kg_array_floats(state, x, count, seed);
    for (size_t i = count > REST ? count - REST : 0; i < count; i++)
        x[i] *= scale;
}

static void zero(const void *state, void *array, size_t count, uint64_t seed)
{
    (void)state, (void)seed;
    memset(array, 0, count * sizeof(unsigned));
}

static const struct kg_kernel_array arrays[] = {
    {KG_ARRAY(struct kg_reduce, x), .role = KG_INPUT, .count = floats, .fill = rest_fill},
    {KG_ARRAY(struct kg_reduce, total), .role = KG_OUTPUT, .memory = KG_MEMORY_GPU, .elements = 1},
    {KG_ARRAY(struct kg_reduce, part), .role = KG_SCRATCH, .memory = KG_MEMORY_GPU,
     .elements = KG_REDUCE_BLOCKS_MOST},
    {KG_ARRAY(struct kg_reduce, arrived), .role = KG_INPUT, .memory = KG_MEMORY_GPU, .elements = 1,
     .fill = zero},
};

static bool shape(struct kgate_context *context, void *state, struct kgate_work *work)
{
    ((struct kg_reduce *)state)->n = (size_t)context->values[BYTES].integer / sizeof(float);
    const int64_t bytes = context->values[BYTES].integer;
    const double n = (double)bytes / sizeof(float);
    *work = (struct kgate_work){
        .items = n, .bytes = (double)bytes, .flops = n, .written_bytes = sizeof(float)};
    return kg_kernel_whole_elements(context, bytes, sizeof(float), "float");
}

static bool compare(const void *state, struct kgate_check *check)
{
    const struct kg_reduce *reduce = state;
    const double count = (double)reduce->n, u = (double)FLT_EPSILON / 2;
    const double sum = (double)(reduce->total ? *reduce->total : reduce->sum);
    double size;
    const double reference = kg_reduce_reference(reduce->x, reduce->n, &size);
    check->error = kg_relative(fabs(sum - reference), size);
    check->tolerance = u * fmin(count, KG_REDUCE_TOLERANCE);
    return true;
}

static void blank(void *state)
{
    ((struct kg_reduce *)state)->sum = NAN;
}

static const struct kg_kernel reduce_kernel = {
    .state_bytes = sizeof(struct kg_reduce),
    KG_KERNEL_ARRAYS(arrays),
    KG_KERNEL_VERSIONS(names, VERSION, versions),
    .shape = shape,
    .prepare = {[KGATE_DEVICE_CUDA] = KG_CUDA_VERSION(kg_reduce_cuda_prepare)},
    .compare = compare,
    .blank = blank,
};
KG_KERNEL_WORKLOAD(reduce, .summary = "Sums an array of floats: memory bandwidth, reading only.",
                   .params = params, .param_count = PARAMS, .devices = KG_KERNEL_DEVICES,
                   .revision = 1);
