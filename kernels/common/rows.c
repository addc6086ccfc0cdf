#include "common/rows.h"

#include <math.h>
#include <stdlib.h>

#include "common/common.h"
#include "common/device.h"

static const char *const version_names[] = {"plain", "fast", NULL};

const struct kgate_param kg_rows_params[KG_ROWS_PARAMS] = {
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
     .help = "columns: the length of what is normalised"},
    {.name = "version",
     .type = KGATE_PARAM_CHOICE,
     .default_text = "fast",
     .choices = version_names,
     .help = "plain: one pass after the other, fast: memory read once where possible"},
};

bool kg_rows_describe(struct kgate_context *context, struct kgate_work *work, double flops_per_item)
{
    const uint64_t bytes = kg_array_bytes(context->values[KG_ROWS_ROWS].integer,
                                          context->values[KG_ROWS_COLS].integer, sizeof(float));
    if (!bytes)
        return kg_kernel_refuse(context, "a matrix of so many rows and cols is above 64 GiB");
    const double items = (double)bytes / sizeof(float);
    *work = (struct kgate_work){
        .items = items, .bytes = 2 * (double)bytes, .flops = flops_per_item * items};
    return true;
}

static void device_free(struct kgate_context *context, const struct kg_rows_device *device)
{
    context->release_device(context, device->x);
    context->release_device(context, device->y);
    context->release_device(context, device->gamma);
    context->release_device(context, device->beta);
    context->release_device(context, device->parts);
}

void kg_rows_tear_down(struct kgate_context *context, void *state)
{
    struct kg_rows *rows = state;
    if (!rows)
        return;
    context->release(context, rows->x);
    context->release(context, rows->y);
    context->release(context, rows->gamma);
    context->release(context, rows->beta);
    if (context->device == KGATE_DEVICE_CUDA)
        device_free(context, &rows->device);
    context->release(context, rows);
}

static bool host_make(struct kgate_context *context, struct kg_rows *rows, float scale)
{
    const size_t cols = rows->cols, n = rows->rows * cols;
    rows->x = context->allocate(context, n * sizeof(float));
    rows->y = context->allocate(context, n * sizeof(float));
    rows->gamma = context->allocate(context, cols * sizeof(float));
    rows->beta = context->allocate(context, cols * sizeof(float));
    if (!rows->x || !rows->y || !rows->gamma || !rows->beta)
        return kg_kernel_refuse(context, "no memory for two matrices of %zu floats", n);
    kg_fill_floats(rows->x, n, context->seed, context->threads);
    kg_fill_floats(rows->y, n, context->seed + 1, context->threads);
    kg_fill_floats(rows->gamma, cols, context->seed + 2, 1);
    kg_fill_floats(rows->beta, cols, context->seed + 3, 1);
    for (size_t i = 0; i < n; i++)
        rows->x[i] *= scale;
    return true;
}

/* Allocates an array on the GPU and copies it there. */
static bool array_copy(struct kgate_context *context, float **device, const float *host, size_t n)
{
    *device = context->allocate_device(context, n * sizeof(float));
    return *device ? kg_device_upload(context, *device, host, n * sizeof(float))
                   : kg_kernel_refuse(context, "no memory on the GPU for %zu floats", n);
}

static bool device_make(struct kgate_context *context, struct kg_rows *rows, bool affine)
{
    struct kg_rows_device *device = &rows->device;
    const size_t cols = rows->cols, n = rows->rows * cols;
    const size_t parts_bytes = sizeof(float) * KG_ROWS_PARTS_MOST * KG_ROWS_PART_FLOATS;
    device->stream = context->stream;
    device->y = context->allocate_device(context, n * sizeof(float));
    device->parts = context->allocate_device(context, parts_bytes);
    if (!device->y || !device->parts)
        return kg_kernel_refuse(context, "no memory on the GPU for %zu floats", n);
    return array_copy(context, &device->x, rows->x, n) &&
           (!affine || (array_copy(context, &device->gamma, rows->gamma, cols) &&
                        array_copy(context, &device->beta, rows->beta, cols))) &&
           kg_device_poison(context, device->parts, parts_bytes) &&
           kg_device_poison(context, device->y, n * sizeof(float));
}

static bool device_prepare(struct kgate_context *context, struct kg_rows *rows,
                           const char *(*prepare)(struct kg_rows *rows))
{
    const char *failure = prepare ? prepare(rows) : NULL;
    return !failure || kg_kernel_refuse(context, "CUDA: %s", failure);
}

bool kg_rows_set_up(struct kgate_context *context, void **state,
                    const struct kg_rows_family *family)
{
    const bool cuda = context->device == KGATE_DEVICE_CUDA;
    const int64_t version = context->values[KG_ROWS_VERSION].integer;
    struct kg_rows *rows = context->allocate(context, sizeof *rows);
    if (!rows)
        return kg_kernel_refuse(context, "no memory");
    rows->rows = (size_t)context->values[KG_ROWS_ROWS].integer;
    rows->cols = (size_t)context->values[KG_ROWS_COLS].integer;
    rows->threads = (int)context->threads;
    rows->version = cuda ? family->cuda[version] : family->cpu[version];
    if (!host_make(context, rows, family->scale) ||
        (cuda && !(device_make(context, rows, family->affine) &&
                   device_prepare(context, rows, family->cuda_prepare[version])))) {
        kg_rows_tear_down(context, rows);
        return false;
    }
    *state = rows;
    return true;
}

void kg_rows_run(void *state)
{
    struct kg_rows *rows = state;
    rows->version(rows);
}

bool kg_rows_check(struct kgate_context *context, const struct kg_rows *rows,
                   const struct kg_rows_family *family, struct kgate_check *check)
{
    const size_t bytes = rows->rows * rows->cols * sizeof(float);
    if (context->device == KGATE_DEVICE_CUDA &&
        !(kg_device_good(context) && kg_device_download(context, rows->y, rows->device.y, bytes)))
        return false;
    double *value = calloc(2 * rows->cols, sizeof *value), *size = value + rows->cols;
    if (!value)
        return kg_kernel_refuse(context, "no memory for the reference");
    check->error = 0;
    for (size_t i = 0; i < rows->rows; i++) {
        family->reference(rows, i, value, size);
        for (size_t j = 0; j < rows->cols; j++) {
            const double error = fabs((double)rows->y[i * rows->cols + j] - value[j]);
            check->error = kg_worse(check->error, error > 0 ? error / size[j] : error);
        }
    }
    free(value);
    return true;
}
