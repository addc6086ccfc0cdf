#include "transpose/transpose.h"

#include <stdlib.h>
#include <string.h>

#include "common/common.h"
#include "common/device.h"

enum { ROWS, COLS, VERSION };

static const char *const versions[] = {"plain", "tiled", "fast", NULL};
/* Each version's function for each device; NULL where there is none. */
static void (*const table[][2])(struct kg_transpose *) = {
    {kg_transpose_plain, KG_CUDA_VERSION(kg_transpose_cuda_plain)},
    {NULL, KG_CUDA_VERSION(kg_transpose_cuda_tiled)},
    {kg_transpose_fast, KG_CUDA_VERSION(kg_transpose_cuda_fast)},
};
static const struct kgate_param params[] = {
    {.name = "rows",
     .type = KGATE_PARAM_INTEGER,
     .default_text = "1024",
     .minimum = 1,
     .maximum = 1e9,
     .help = "rows of the matrix"},
    {.name = "cols",
     .type = KGATE_PARAM_INTEGER,
     .default_text = "1024",
     .minimum = 1,
     .maximum = 1e9,
     .help = "columns of the matrix"},
    {.name = "version",
     .type = KGATE_PARAM_CHOICE,
     .default_text = "fast",
     .choices = versions,
     .help = "plain: row by row, fast: in blocks, all threads (GPU: 16 bytes at once); GPU only: "
             "tiled: by way of shared memory"},
};

static bool describe(struct kgate_context *context, struct kgate_work *work)
{
    const int64_t rows = context->values[ROWS].integer, cols = context->values[COLS].integer;
    const uint64_t bytes = kg_array_bytes(rows, cols, sizeof(float));
    if (!bytes)
        return kg_kernel_refuse(context, "a matrix of so many rows and cols is above 64 GiB");
    const int64_t version = context->values[VERSION].integer;
    if (!table[version][context->device])
        return kg_device_refuse_version(context, versions[version]);
    *work = (struct kgate_work){.items = (double)bytes / sizeof(float), .bytes = 2 * (double)bytes};
    return true;
}

static void tear_down(struct kgate_context *context, void *state)
{
    struct kg_transpose *transpose = state;
    if (!transpose)
        return;
    void (*const release)(struct kgate_context *, void *) =
        context->device == KGATE_DEVICE_CUDA ? context->release_device : context->release;
    release(context, transpose->a);
    release(context, transpose->b);
    context->release(context, transpose);
}

static bool host_set_up(struct kgate_context *context, struct kg_transpose *transpose)
{
    const size_t n = transpose->rows * transpose->cols, bytes = n * sizeof(float);
    transpose->a = context->allocate(context, bytes);
    transpose->b = context->allocate(context, bytes);
    if (!transpose->a || !transpose->b)
        return kg_kernel_refuse(context, "no memory for two matrices of %zu bytes", bytes);
    kg_fill_floats(transpose->a, n, context->seed, context->threads);
    kg_fill_floats(transpose->b, n, context->seed + 1, context->threads);
    return true;
}

static bool device_set_up(struct kgate_context *context, struct kg_transpose *transpose)
{
    const size_t n = transpose->rows * transpose->cols;
    transpose->queue = context->stream;
    transpose->a = kg_device_floats(context, n, context->seed);
    if (transpose->a)
        transpose->b = kg_device_blank(context, n * sizeof(float));
    return transpose->b != NULL;
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct kg_transpose *transpose = context->allocate(context, sizeof *transpose);
    if (!transpose)
        return kg_kernel_refuse(context, "no memory");
    transpose->rows = (size_t)context->values[ROWS].integer;
    transpose->cols = (size_t)context->values[COLS].integer;
    transpose->threads = (int)context->threads;
    transpose->version = table[context->values[VERSION].integer][context->device];
    if (!(context->device == KGATE_DEVICE_CUDA ? device_set_up(context, transpose)
                                               : host_set_up(context, transpose))) {
        tear_down(context, transpose);
        return false;
    }
    *state = transpose;
    return true;
}

static void run(void *state)
{
    struct kg_transpose *transpose = state;
    transpose->version(transpose);
}

static void compare(const struct kg_transpose *transpose, struct kgate_check *check)
{
    *check = (struct kgate_check){0};
    for (size_t i = 0; i < transpose->rows; i++)
        for (size_t j = 0; j < transpose->cols; j++)
            check->error +=
                memcmp(&transpose->a[i * transpose->cols + j],
                       &transpose->b[kg_transpose_reference(transpose, i, j)], sizeof(float)) != 0;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    const struct kg_transpose *transpose = state;
    if (context->device == KGATE_DEVICE_CPU) {
        compare(transpose, check);
        return true;
    }
    const size_t n = transpose->rows * transpose->cols;
    struct kg_transpose host = {.rows = transpose->rows, .cols = transpose->cols};
    host.a = kg_device_input_floats(context, n, context->seed);
    if (host.a)
        host.b = kg_device_fetch(context, transpose->b, n * sizeof(float));
    if (host.b)
        compare(&host, check);
    const bool good = host.b != NULL;
    free(host.a);
    free(host.b);
    return good;
}

const struct kgate_workload kg_kernel_transpose = {
    .name = "transpose",
    .summary = "Transposes a matrix of floats: memory bandwidth across the grain.",
    .params = params,
    .param_count = sizeof params / sizeof *params,
    .devices = KG_KERNEL_DEVICES,
    .revision = 1,
    .describe = describe,
    .set_up = set_up,
    .run = run,
    .check = check,
    .tear_down = tear_down,
};
