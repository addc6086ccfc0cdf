#include "gemm/gemm_pipeline.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "common/common.h"
#include "util/random.h"

enum { ROWS, INPUTS, HIDDEN, OUTPUTS, VERSION };

static const char *const versions[] = {"plain", "fast", NULL};

#define EXTENT(param_name, default_value, text)                                                    \
    {                                                                                              \
        .name = (param_name), .type = KGATE_PARAM_INTEGER, .default_text = (default_value),        \
        .minimum = 1, .maximum = 1e6, .help = (text)                                               \
    }
static const struct kgate_param params[] = {
    EXTENT("rows", "256", "rows of input: the batch"),
    EXTENT("inputs", "512", "columns of a row of input"),
    EXTENT("hidden", "512", "elements of the hidden layer"),
    EXTENT("outputs", "128", "columns of a row of output"),
    {.name = "version",
     .type = KGATE_PARAM_CHOICE,
     .default_text = "fast",
     .choices = versions,
     .help = "plain: three loops a product, fast: blocked products, all threads"},
};

static bool describe(struct kgate_context *context, struct kgate_work *work)
{
    const struct kgate_value *values = context->values;
    const int64_t rows = values[ROWS].integer, inputs = values[INPUTS].integer;
    const int64_t hidden = values[HIDDEN].integer, outputs = values[OUTPUTS].integer;
    const uint64_t x = kg_array_bytes(rows, inputs, sizeof(float));
    const uint64_t h = kg_array_bytes(rows, hidden, sizeof(float));
    const uint64_t y = kg_array_bytes(rows, outputs, sizeof(float));
    const uint64_t layer1 = kg_array_bytes(inputs + 1, hidden, sizeof(float));
    const uint64_t layer2 = kg_array_bytes(hidden + 1, outputs, sizeof(float));
    if (!x || !h || !y || !layer1 || !layer2)
        return kg_kernel_refuse(context, "a matrix of such extents is above 64 GiB");
    const double products = 2 * (double)rows * (double)hidden * (double)(inputs + outputs);
    *work = (struct kgate_work){
        .items = (double)rows,
        .bytes = (double)x + (double)layer1 + (double)layer2 + (double)y,
        .flops = products + (double)rows * (double)(2 * hidden + outputs),
    };
    return true;
}

static void tear_down(struct kgate_context *context, void *state)
{
    struct kg_gemm_pipeline *pipeline = state;
    if (!pipeline)
        return;
    float *const arrays[] = {
        pipeline->hidden.a,        pipeline->hidden.b,    pipeline->hidden.c,
        pipeline->hidden.packed_a, pipeline->output.b,    pipeline->output.c,
        pipeline->hidden.packed_b, pipeline->hidden_bias, pipeline->output_bias,
    };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        context->release(context, arrays[i]);
    context->release(context, pipeline);
}

static float *floats_make(struct kgate_context *context, size_t count, uint64_t stream)
{
    float *x = context->allocate(context, count * sizeof *x);
    if (x)
        kg_fill_floats(x, count, context->seed + stream, context->threads);
    return x;
}

static bool packing_make(struct kgate_context *context, struct kg_gemm_pipeline *pipeline)
{
    struct kg_gemm *first = &pipeline->hidden, *second = &pipeline->output;
    const size_t b1 = kg_gemm_packed_b_floats(first), b2 = kg_gemm_packed_b_floats(second);
    first->packed_a =
        context->allocate(context, kg_gemm_packed_a_floats(first) * sizeof *first->packed_a);
    first->packed_b = context->allocate(context, (b1 > b2 ? b1 : b2) * sizeof *first->packed_b);
    second->packed_a = first->packed_a;
    second->packed_b = first->packed_b;
    return first->packed_a && first->packed_b;
}

static bool arrays_make(struct kgate_context *context, struct kg_gemm_pipeline *pipeline)
{
    struct kg_gemm *first = &pipeline->hidden, *second = &pipeline->output;
    first->a = floats_make(context, first->m * first->k, 0);
    first->b = floats_make(context, first->k * first->n, 1);
    first->c = floats_make(context, first->m * first->n, 2);
    second->a = first->c;
    second->b = floats_make(context, second->k * second->n, 3);
    second->c = floats_make(context, second->m * second->n, 4);
    pipeline->hidden_bias = floats_make(context, first->n, 5);
    pipeline->output_bias = floats_make(context, second->n, 6);
    if (!first->a || !first->b || !first->c || !second->b || !second->c || !pipeline->hidden_bias ||
        !pipeline->output_bias)
        return false;
    return pipeline->version != kg_gemm_pipeline_fast || packing_make(context, pipeline);
}

static struct kg_gemm layer_of(const struct kgate_context *context, int inputs, int outputs)
{
    return (struct kg_gemm){.m = (size_t)context->values[ROWS].integer,
                            .n = (size_t)context->values[outputs].integer,
                            .k = (size_t)context->values[inputs].integer,
                            .threads = (int)context->threads};
}

static bool set_up(struct kgate_context *context, void **state)
{
    static void (*const table[])(struct kg_gemm_pipeline *) = {kg_gemm_pipeline_plain,
                                                               kg_gemm_pipeline_fast};
    struct kg_gemm_pipeline *pipeline = context->allocate(context, sizeof *pipeline);
    if (pipeline)
        *pipeline = (struct kg_gemm_pipeline){
            .hidden = layer_of(context, INPUTS, HIDDEN),
            .output = layer_of(context, HIDDEN, OUTPUTS),
            .version = table[context->values[VERSION].integer],
        };
    if (!pipeline || !arrays_make(context, pipeline)) {
        tear_down(context, pipeline);
        return kg_kernel_refuse(context, "no memory for matrices of this size");
    }
    *state = pipeline;
    return true;
}

static void run(void *state)
{
    struct kg_gemm_pipeline *pipeline = state;
    pipeline->version(pipeline);
}

static size_t rows_to_check(const struct kg_gemm_pipeline *pipeline)
{
    const struct kg_gemm *first = &pipeline->hidden, *second = &pipeline->output;
    const size_t most = KG_GEMM_PIPELINE_CHECKED / (first->n * (first->k + second->n));
    const size_t rows = most > KG_GEMM_ROWS ? most : KG_GEMM_ROWS;
    return rows < first->m ? rows : first->m;
}

static double rows_error(const struct kg_gemm_pipeline *pipeline, uint64_t seed, double *row,
                         double *size, double *scratch)
{
    struct kg_random random = {seed};
    const size_t all = pipeline->output.m, outputs = pipeline->output.n;
    const size_t rows = rows_to_check(pipeline);
    double worst = 0;
    for (size_t r = 0; r < rows; r++) {
        const size_t i = rows == all ? r : (size_t)kg_random_below(&random, all);
        kg_gemm_pipeline_reference_row(pipeline, i, row, size, scratch);
        for (size_t k = 0; k < outputs; k++) {
            const double error = fabs((double)pipeline->output.c[i * outputs + k] - row[k]);
            worst = kg_worse(worst, error > 0 ? error / size[k] : error);
        }
    }
    return worst;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    const struct kg_gemm_pipeline *pipeline = state;
    const size_t hidden = pipeline->hidden.n, outputs = pipeline->output.n;
    double *scratch = calloc(2 * hidden + 3 * outputs, sizeof *scratch);
    if (!scratch)
        return kg_kernel_refuse(context, "no memory for the reference");
    check->error =
        rows_error(pipeline, context->seed, scratch, scratch + outputs, scratch + 2 * outputs);
    check->tolerance = (double)FLT_EPSILON; /* 2 u */
    free(scratch);
    return true;
}

const struct kgate_workload kg_kernel_gemm_pipeline = {
    .name = "gemm_pipeline",
    .summary = "Runs rows through a perceptron of two layers: products with passes in between.",
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
