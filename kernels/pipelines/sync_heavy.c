#include "pipelines/sync_heavy.h"

#include "common/device.h"

enum { ELEMENTS, STEPS, VERSION, PARAMS };
enum { EVERY_STEP, ONCE };

static const char *const names[] = {[EVERY_STEP] = "every_step", [ONCE] = "once", NULL};
static void (*const versions[][2])(void *) = {
    [EVERY_STEP] = {kg_sync_heavy_every_step, KG_CUDA_VERSION(kg_sync_heavy_cuda_every_step)},
    [ONCE] = {kg_sync_heavy_once, KG_CUDA_VERSION(kg_sync_heavy_cuda_once)},
};
static const struct kgate_param params[PARAMS] = {
    KG_PARAM_WHOLE("elements", "4096", 1, 1e9, "equations"),
    KG_PARAM_WHOLE("steps", "200", 1, 100000, "steps, each of which leaves a norm"),
    KG_PARAM_CHOICE(
        "version", "once", names,
        "every_step: the norm is looked at after each step, once: all of them at the end"),
};

static size_t equations(const void *state)
{
    return ((const struct kg_sync_heavy *)state)->n;
}

static size_t steps(const void *state)
{
    return ((const struct kg_sync_heavy *)state)->steps;
}

static size_t seen_norms(const void *state)
{
    const struct kg_sync_heavy *work = state;
    return work->looks ? work->rows * work->row_stride : 0;
}

static size_t norm_parts(const void *state)
{
    const struct kg_sync_heavy *work = state;
    return work->looks ? 0 : work->rows * work->row_stride;
}

/* d in [0.5, 1.5) from floats in [-1, 1). */
static void diagonal_fill(const void *state, void *array, size_t count, uint64_t seed)
{
    float *d = array;
    kg_array_floats(state, d, count, seed);
    for (size_t i = 0; i < count; i++)
        d[i] = 1 + d[i] / 2;
}

static const struct kg_kernel_array arrays[] = {
    {KG_ARRAY(struct kg_sync_heavy, b), .role = KG_INPUT, .count = equations,
     .fill = kg_array_floats},
    {KG_ARRAY(struct kg_sync_heavy, d), .role = KG_INPUT, .count = equations, .fill = diagonal_fill,
     .seed = 1},
    {KG_ARRAY(struct kg_sync_heavy, x), .role = KG_OUTPUT, .count = equations},
    {KG_ARRAY(struct kg_sync_heavy, device_norms), .role = KG_SCRATCH, .memory = KG_MEMORY_GPU,
     .count = steps},
    {KG_ARRAY(struct kg_sync_heavy, norms), .role = KG_OUTPUT, .memory = KG_MEMORY_PINNED,
     .count = steps},
    {KG_ARRAY(struct kg_sync_heavy, seen), .role = KG_OUTPUT, .memory = KG_MEMORY_HOST,
     .count = seen_norms},
    {KG_ARRAY(struct kg_sync_heavy, parts), .role = KG_SCRATCH, .memory = KG_MEMORY_HOST,
     .count = norm_parts},
};

/* Rows lie a whole cache line apart: no two threads write to one. */
static bool shape(struct kgate_context *context, void *state, struct kgate_work *work)
{
    enum { LINE_DOUBLES = 64 / sizeof(double) };
    struct kg_sync_heavy *iteration = state;
    iteration->n = (size_t)context->values[ELEMENTS].integer;
    iteration->steps = (unsigned)context->values[STEPS].integer;
    iteration->looks = context->values[VERSION].integer == EVERY_STEP;
    iteration->rows = context->device == KGATE_DEVICE_CPU ? context->threads : iteration->looks;
    iteration->row_stride =
        ((iteration->steps + LINE_DOUBLES - 1) / LINE_DOUBLES + 1) * LINE_DOUBLES;
    const double n = (double)context->values[ELEMENTS].integer;
    const double count = (double)context->values[STEPS].integer;
    *work = (struct kgate_work){
        .items = n * count, .bytes = 3 * n * (double)sizeof(float), .flops = 6 * n * count};
    return true;
}

static bool compare(const void *state, struct kgate_check *check)
{
    check->tolerance = 1;
    return kg_sync_heavy_error(state, &check->error);
}

static const struct kg_kernel sync_heavy_kernel = {
    .state_bytes = sizeof(struct kg_sync_heavy),
    KG_KERNEL_ARRAYS(arrays),
    KG_KERNEL_VERSIONS(names, VERSION, versions),
    .shape = shape,
    .finish = {[KGATE_DEVICE_CUDA] = KG_CUDA_VERSION(kg_sync_heavy_finish)},
    .compare = compare,
};
KG_KERNEL_WORKLOAD(
    sync_heavy,
    .summary = "Iterates and looks at a norm, in every step or once: what waiting costs.",
    .params = params, .param_count = PARAMS, .devices = KG_KERNEL_DEVICES, .revision = 1);
