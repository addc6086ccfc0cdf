#include "common/rows.h"

#include <math.h>
#include <stdlib.h>

#include "common/common.h"

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
     .help = "plain: one loop after the other, fast: vectorised, all threads"},
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

void kg_rows_tear_down(struct kgate_context *context, void *state)
{
    struct kg_rows *rows = state;
    if (!rows)
        return;
    context->release(context, rows->x);
    context->release(context, rows->y);
    context->release(context, rows->gamma);
    context->release(context, rows->beta);
    context->release(context, rows);
}

bool kg_rows_set_up(struct kgate_context *context, void **state, float scale,
                    void (*const versions[2])(struct kg_rows *))
{
    struct kg_rows *rows = context->allocate(context, sizeof *rows);
    const size_t row_count = (size_t)context->values[KG_ROWS_ROWS].integer;
    const size_t cols = (size_t)context->values[KG_ROWS_COLS].integer, n = row_count * cols;
    if (rows) {
        rows->x = context->allocate(context, n * sizeof(float));
        rows->y = context->allocate(context, n * sizeof(float));
        rows->gamma = context->allocate(context, cols * sizeof(float));
        rows->beta = context->allocate(context, cols * sizeof(float));
    }
    if (!rows || !rows->x || !rows->y || !rows->gamma || !rows->beta) {
        kg_rows_tear_down(context, rows);
        return kg_kernel_refuse(context, "no memory for two matrices of %zu floats", n);
    }
    rows->rows = row_count;
    rows->cols = cols;
    rows->threads = (int)context->threads;
    rows->version = versions[context->values[KG_ROWS_VERSION].integer];
    kg_fill_floats(rows->x, n, context->seed, context->threads);
    kg_fill_floats(rows->y, n, context->seed + 1, context->threads);
    kg_fill_floats(rows->gamma, cols, context->seed + 2, 1);
    kg_fill_floats(rows->beta, cols, context->seed + 3, 1);
    for (size_t i = 0; i < n; i++)
        rows->x[i] *= scale;
    *state = rows;
    return true;
}

void kg_rows_run(void *state)
{
    struct kg_rows *rows = state;
    rows->version(rows);
}

bool kg_rows_check(struct kgate_context *context, const struct kg_rows *rows,
                   void (*reference)(const struct kg_rows *rows, size_t row, double *value,
                                     double *size),
                   struct kgate_check *check)
{
    double *value = calloc(2 * rows->cols, sizeof *value), *size = value + rows->cols;
    if (!value)
        return kg_kernel_refuse(context, "no memory for the reference");
    check->error = 0;
    for (size_t i = 0; i < rows->rows; i++) {
        reference(rows, i, value, size);
        for (size_t j = 0; j < rows->cols; j++) {
            const double error = fabs((double)rows->y[i * rows->cols + j] - value[j]);
            check->error = kg_worse(check->error, error > 0 ? error / size[j] : error);
        }
    }
    free(value);
    return true;
}
