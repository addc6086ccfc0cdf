#include "transpose/transpose.h"

#include <string.h>

#include "common/common.h"

enum { ROWS, COLS, VERSION };

static const char *const versions[] = {"plain", "fast", NULL};
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
     .help = "plain: row by row, fast: in blocks, all threads"},
};

static bool describe(struct kgate_context *context, struct kgate_work *work)
{
    const int64_t rows = context->values[ROWS].integer, cols = context->values[COLS].integer;
    const uint64_t bytes = kg_array_bytes(rows, cols, sizeof(float));
    if (!bytes)
        return kg_kernel_refuse(context, "a matrix of so many rows and cols is above 64 GiB");
    *work = (struct kgate_work){.items = (double)bytes / sizeof(float), .bytes = 2 * (double)bytes};
    return true;
}

static void tear_down(struct kgate_context *context, void *state)
{
    struct kg_transpose *transpose = state;
    if (!transpose)
        return;
    context->release(context, transpose->a);
    context->release(context, transpose->b);
    context->release(context, transpose);
}

static bool set_up(struct kgate_context *context, void **state)
{
    static void (*const table[])(struct kg_transpose *) = {kg_transpose_plain, kg_transpose_fast};
    struct kg_transpose *transpose = context->allocate(context, sizeof *transpose);
    const size_t rows = (size_t)context->values[ROWS].integer;
    const size_t cols = (size_t)context->values[COLS].integer;
    const size_t bytes = rows * cols * sizeof(float);
    if (transpose) {
        transpose->a = context->allocate(context, bytes);
        transpose->b = context->allocate(context, bytes);
    }
    if (!transpose || !transpose->a || !transpose->b) {
        tear_down(context, transpose);
        return kg_kernel_refuse(context, "no memory for two matrices of %zu bytes", bytes);
    }
    transpose->rows = rows;
    transpose->cols = cols;
    transpose->threads = (int)context->threads;
    transpose->version = table[context->values[VERSION].integer];
    kg_fill_floats(transpose->a, rows * cols, context->seed, context->threads);
    kg_fill_floats(transpose->b, rows * cols, context->seed + 1, context->threads);
    *state = transpose;
    return true;
}

static void run(void *state)
{
    struct kg_transpose *transpose = state;
    transpose->version(transpose);
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    const struct kg_transpose *transpose = state;
    (void)context;
    *check = (struct kgate_check){0};
    for (size_t i = 0; i < transpose->rows; i++)
        for (size_t j = 0; j < transpose->cols; j++)
            check->error +=
                memcmp(&transpose->a[i * transpose->cols + j],
                       &transpose->b[kg_transpose_reference(transpose, i, j)], sizeof(float)) != 0;
    return true;
}

const struct kgate_workload kg_kernel_transpose = {
    .name = "transpose",
    .summary = "Transposes a matrix of floats: memory bandwidth across the grain.",
    .params = params,
    .param_count = sizeof params / sizeof *params,
    .devices = 1U << KGATE_DEVICE_CPU,
    .revision = 1,
    .describe = describe,
    .set_up = set_up,
    .run = run,
    .check = check,
    .tear_down = tear_down,
};
