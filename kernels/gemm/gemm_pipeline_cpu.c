#include "gemm/gemm_pipeline.h"
#include "kgate/profiler.h"

static void row_bias_relu(float *row, const float *bias, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        const float sum = row[j] + bias[j];
        row[j] = sum > 0 ? sum : 0;
    }
}

static void row_bias(float *row, const float *bias, size_t n)
{
    for (size_t j = 0; j < n; j++)
        row[j] += bias[j];
}

static void plain_bias_relu(struct kg_gemm *layer, const float *bias)
{
    KGATE_SCOPE("bias_relu");
    for (size_t i = 0; i < layer->m; i++)
        row_bias_relu(layer->c + i * layer->n, bias, layer->n);
}

static void plain_bias(struct kg_gemm *layer, const float *bias)
{
    KGATE_SCOPE("bias");
    for (size_t i = 0; i < layer->m; i++)
        row_bias(layer->c + i * layer->n, bias, layer->n);
}

/* 0 plain: the stages as the formula has them, three loops for a product. */
void kg_gemm_pipeline_plain(void *state)
{
    struct kg_gemm_pipeline *pipeline = state;
    {
        KGATE_SCOPE("hidden");
        kg_gemm_naive(&pipeline->hidden);
    }
    plain_bias_relu(&pipeline->hidden, pipeline->hidden_bias);
    {
        KGATE_SCOPE("output");
        kg_gemm_naive(&pipeline->output);
    }
    plain_bias(&pipeline->output, pipeline->output_bias);
}

/* The scope ends before the threads wait for each other, so that a profile shows who was late. */
static void fast_bias_relu(struct kg_gemm *layer, const float *bias)
{
#pragma omp parallel num_threads(layer->threads)
    {
        KGATE_SCOPE_ON("bias_relu", KGATE_DEVICE_CPU, "openmp", 0);
#pragma omp for schedule(static) nowait
        for (size_t i = 0; i < layer->m; i++)
            row_bias_relu(layer->c + i * layer->n, bias, layer->n);
    }
}

static void fast_bias(struct kg_gemm *layer, const float *bias)
{
#pragma omp parallel num_threads(layer->threads)
    {
        KGATE_SCOPE_ON("bias", KGATE_DEVICE_CPU, "openmp", 0);
#pragma omp for schedule(static) nowait
        for (size_t i = 0; i < layer->m; i++)
            row_bias(layer->c + i * layer->n, bias, layer->n);
    }
}

/* 1 fast: gemm's blocked products, in which nearly all of the time goes, and rows shared among all
 * threads in between. */
void kg_gemm_pipeline_fast(void *state)
{
    struct kg_gemm_pipeline *pipeline = state;
    {
        KGATE_SCOPE("hidden");
        kg_gemm_blocked(&pipeline->hidden);
    }
    fast_bias_relu(&pipeline->hidden, pipeline->hidden_bias);
    {
        KGATE_SCOPE("output");
        kg_gemm_blocked(&pipeline->output);
    }
    fast_bias(&pipeline->output, pipeline->output_bias);
}
