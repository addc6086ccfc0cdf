#include "gemm/gemm_pipeline.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "common/common.h"

enum { ROWS, INPUTS, HIDDEN, OUTPUTS, VERSION, PARAMS };

static const char *const names[] = {"plain", "fast", NULL};
static void (*const versions[][2])(void *) = {
    {kg_gemm_pipeline_plain, NULL},
    {kg_gemm_pipeline_fast, NULL},
};
static const struct kgate_param params[PARAMS] = {
    KG_PARAM_WHOLE("rows", "256", 1, 1e6, "rows of input: the batch"),
    KG_PARAM_WHOLE("inputs", "512", 1, 1e6, "columns of a row of input"),
    KG_PARAM_WHOLE("hidden", "512", 1, 1e6, "elements of the hidden layer"),
    KG_PARAM_WHOLE("outputs", "128", 1, 1e6, "columns of a row of output"),
    KG_PARAM_CHOICE("version", "fast", names,
                    "plain: three loops a product, fast: blocked products, all threads"),
};

/* --- The arrays ------------------------------------------------------------------------------- */

#define COUNT(name, expression)                                                                    \
    static size_t name(const void *state)                                                          \
    {                                                                                              \
        const struct kg_gemm_pipeline *pipeline = state;                                           \
        const struct kg_gemm *first = &pipeline->hidden, *second = &pipeline->output;              \
        (void)first, (void)second;                                                                 \
        return (expression);                                                                       \
    }
COUNT(x_floats, first->m * first->k)
COUNT(w1_floats, first->k * first->n)
COUNT(h_floats, first->m * first->n)
COUNT(w2_floats, second->k * second->n)
COUNT(y_floats, second->m * second->n)
COUNT(b1_floats, first->n)
COUNT(b2_floats, second->n)

/* The products are packed into the same room, one after the other. */
static size_t packed_a_floats(const void *state)
{
    const struct kg_gemm_pipeline *pipeline = state;
    return pipeline->call.version == kg_gemm_pipeline_fast
               ? kg_gemm_packed_a_floats(&pipeline->hidden)
               : 0;
}

static size_t packed_b_floats(const void *state)
{
    const struct kg_gemm_pipeline *pipeline = state;
    const size_t first = kg_gemm_packed_b_floats(&pipeline->hidden);
    const size_t second = kg_gemm_packed_b_floats(&pipeline->output);
    if (pipeline->call.version != kg_gemm_pipeline_fast)
        return 0;
    return first > second ? first : second;
}

#define INPUT(member, floats, stream)                                                              \
    {                                                                                              \
        KG_ARRAY(struct kg_gemm_pipeline, member), .role = KG_INPUT, .count = (floats),            \
                                                   .fill = kg_array_floats, .seed = (stream)       \
    }
#define MADE(member, which, floats)                                                                \
    {                                                                                              \
        KG_ARRAY(struct kg_gemm_pipeline, member), .role = (which), .count = (floats)              \
    }
static const struct kg_kernel_array arrays[] = {
    INPUT(hidden.a, x_floats, 0),
    INPUT(hidden.b, w1_floats, 1),
    MADE(hidden.c, KG_SCRATCH, h_floats),
    INPUT(output.b, w2_floats, 3),
    MADE(output.c, KG_OUTPUT, y_floats),
    INPUT(hidden_bias, b1_floats, 5),
    INPUT(output_bias, b2_floats, 6),
    MADE(hidden.packed_a, KG_SCRATCH, packed_a_floats),
    MADE(hidden.packed_b, KG_SCRATCH, packed_b_floats),
};

/* The output layer reads the result of the hidden layer, and shares its packing space. */
static bool prepare(struct kgate_context *context, void *state)
{
    struct kg_gemm_pipeline *pipeline = state;
    (void)context;
    pipeline->output.a = pipeline->hidden.c;
    pipeline->output.packed_a = pipeline->hidden.packed_a;
    pipeline->output.packed_b = pipeline->hidden.packed_b;
    return true;
}

/* --- The workload ----------------------------------------------------------------------------- */

static struct kg_gemm layer_of(const struct kgate_context *context, int inputs, int outputs)
{
    return (struct kg_gemm){.m = (size_t)context->values[ROWS].integer,
                            .n = (size_t)context->values[outputs].integer,
                            .k = (size_t)context->values[inputs].integer,
                            .threads = (int)context->threads,
                            .seed = context->seed};
}

static bool shape(struct kgate_context *context, void *state, struct kgate_work *work)
{
    const struct kgate_value *values = context->values;
    const int64_t rows = values[ROWS].integer, inputs = values[INPUTS].integer;
    const int64_t hidden = values[HIDDEN].integer, outputs = values[OUTPUTS].integer;
    const uint64_t x = kg_array_bytes(rows, inputs, sizeof(float));
    const uint64_t h = kg_array_bytes(rows, hidden, sizeof(float));
    const uint64_t y = kg_array_bytes(rows, outputs, sizeof(float));
    const uint64_t layer1 = kg_array_bytes(inputs + 1, hidden, sizeof(float));
    const uint64_t layer2 = kg_array_bytes(hidden + 1, outputs, sizeof(float));
    const double products = 2 * (double)rows * (double)hidden * (double)(inputs + outputs);
    struct kg_gemm_pipeline *pipeline = state;
    pipeline->hidden = layer_of(context, INPUTS, HIDDEN);
    pipeline->output = layer_of(context, HIDDEN, OUTPUTS);
    *work = (struct kgate_work){
        .items = (double)rows,
        .bytes = (double)x + (double)layer1 + (double)layer2 + (double)y,
        .flops = products + (double)rows * (double)(2 * hidden + outputs),
    };
    return (x && h && y && layer1 && layer2) ||
           kg_kernel_refuse(context, "a matrix of such extents is above 64 GiB");
}

static size_t rows_to_check(const struct kg_gemm_pipeline *pipeline)
{
    const struct kg_gemm *first = &pipeline->hidden, *second = &pipeline->output;
    const size_t most = KG_GEMM_PIPELINE_CHECKED / (first->n * (first->k + second->n));
    const size_t rows = most > KG_GEMM_ROWS ? most : KG_GEMM_ROWS;
    return rows < first->m ? rows : first->m;
}

static double rows_error(const struct kg_gemm_pipeline *pipeline, double *row, double *size,
                         double *scratch)
{
    struct kg_random random = kg_check_random(pipeline->hidden.seed, KG_GEMM_SAMPLE);
    const size_t all = pipeline->output.m, outputs = pipeline->output.n;
    const size_t rows = rows_to_check(pipeline);
    double worst = 0;
    for (size_t r = 0; r < rows; r++) {
        const size_t i = rows == all ? r : (size_t)kg_random_below(&random, all);
        kg_gemm_pipeline_reference_row(pipeline, i, row, size, scratch);
        for (size_t k = 0; k < outputs; k++) {
            const double error = fabs((double)pipeline->output.c[i * outputs + k] - row[k]);
            worst = kg_worse(worst, kg_relative(error, size[k]));
        }
    }
    return worst;
}

static bool compare(const void *state, struct kgate_check *check)
{
    const struct kg_gemm_pipeline *pipeline = state;
    const size_t hidden = pipeline->hidden.n, outputs = pipeline->output.n;
    double *scratch = calloc(2 * hidden + 3 * outputs, sizeof *scratch);
    if (!scratch)
        return false;
    check->error = rows_error(pipeline, scratch, scratch + outputs, scratch + 2 * outputs);
    check->tolerance = (double)FLT_EPSILON; /* 2 u */
    free(scratch);
    return true;
}

static const struct kg_kernel gemm_pipeline_kernel = {
    .state_bytes = sizeof(struct kg_gemm_pipeline),
    KG_KERNEL_ARRAYS(arrays),
    KG_KERNEL_VERSIONS(names, VERSION, versions),
    .shape = shape,
    .prepare = {prepare},
    .compare = compare,
};
KG_KERNEL_WORKLOAD(
    gemm_pipeline,
    .summary = "Runs rows through a perceptron of two layers: products with passes in between.",
    .params = params, .param_count = PARAMS, .devices = 1U << KGATE_DEVICE_CPU, .revision = 1);
