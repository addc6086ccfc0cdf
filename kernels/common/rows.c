#include "common/rows.h"

#include <math.h>
#include <stdlib.h>

#include "common/common.h"

const char *const kg_rows_versions[] = {"plain", "fast", NULL};

const struct kgate_param kg_rows_params[KG_ROWS_PARAMS] = {
    KG_PARAM_WHOLE("rows", "1024", 1, 1e9, "rows of the matrix"),
    KG_PARAM_WHOLE("cols", "1024", 1, 1e9, "columns: the length of what is normalised"),
    KG_PARAM_CHOICE("version", "fast", kg_rows_versions,
                    "plain: one pass after the other, fast: memory read once where possible"),
};

size_t kg_rows_elements(const void *state)
{
    const struct kg_rows *rows = state;
    return rows->rows * rows->cols;
}

size_t kg_rows_columns(const void *state)
{
    return ((const struct kg_rows *)state)->cols;
}

bool kg_rows_shape(struct kgate_context *context, struct kg_rows *rows, struct kgate_work *work,
                   double flops_per_item)
{
    const int64_t count = context->values[KG_ROWS_ROWS].integer;
    const int64_t cols = context->values[KG_ROWS_COLS].integer;
    const uint64_t bytes = kg_array_bytes(count, cols, sizeof(float));
    const double items = (double)bytes / sizeof(float);
    rows->rows = (size_t)count;
    rows->cols = (size_t)cols;
    *work = (struct kgate_work){.items = items,
                                .bytes = 2 * (double)bytes,
                                .flops = flops_per_item * items,
                                .written_bytes = (double)bytes};
    return bytes || kg_kernel_refuse(context, "a matrix of so many rows and cols is above 64 GiB");
}

bool kg_rows_error(const struct kg_rows *rows, double *error,
                   void (*reference)(const struct kg_rows *rows, size_t row, double *value,
                                     double *size))
{
    double *value = calloc(2 * rows->cols, sizeof *value), *size = value + rows->cols;
    if (!value)
        return false;
    *error = 0;
    for (size_t i = 0; i < rows->rows; i++) {
        reference(rows, i, value, size);
        for (size_t j = 0; j < rows->cols; j++) {
            const double off = fabs((double)rows->y[i * rows->cols + j] - value[j]);
            *error = kg_worse(*error, kg_relative(off, size[j]));
        }
    }
    free(value);
    return true;
}
