#include "transformer/training_cpu.h"

#include <string.h>

#include "common/common.h"
#include "transformer/adamw.h"

struct kg_training_cpu {
    struct kg_slices slices;
};

/* One slice: its part of the batch forward and backward. */
static void train_step(const struct kg_training *training, struct kg_slices *slices, size_t number,
                       const uint8_t *text)
{
    KGATE_SCOPE("train_step");
    const struct kg_passes *passes = slices->passes;
    const struct kg_slice *slice = &slices->slice[number];
    const uint8_t *tokens = text + slices->first[number] * training->model.seq_len;
    passes->forward(slice, tokens);
    slices->loss[number] = passes->loss(slice, tokens + 1);
    passes->backward(slice, tokens);
}

/* All slices of a batch, shared among the threads; gives the mean loss. */
static double parallel_training(const struct kg_training *training, struct kg_slices *slices,
                                const uint8_t *text)
{
    KGATE_SCOPE_OF_KIND("parallel_training", KGATE_SCOPE_PARALLEL, KGATE_DEVICE_CPU, "openmp", 0);
    const size_t count = slices->count;
    double loss = 0;
#pragma omp parallel for num_threads(slices->threads) schedule(dynamic)
    for (size_t i = 0; i < count; i++)
        train_step(training, slices, i, text);
    for (size_t i = 0; i < count; i++)
        loss += slices->loss[i];
    return loss / (double)(training->batch * training->model.seq_len);
}

static void optimize(struct kg_training *training, size_t step, int threads)
{
    KGATE_SCOPE_ON("optimizer", KGATE_DEVICE_CPU, "openmp", 0);
    const struct kg_adamw_scales scales = kg_adamw_scales_of(training->learning_rate, step);
    const size_t floats = training->model.parameters.floats;
    float *restrict parameters = training->parameters, *restrict moment1 = training->moment1;
    float *restrict moment2 = training->moment2;
    const float *restrict gradients = training->gradients;
#pragma omp parallel for simd num_threads(threads) schedule(static)
    for (size_t i = 0; i < floats; i++)
        parameters[i] =
            kg_adamw_update(scales, parameters[i], gradients[i], &moment1[i], &moment2[i]);
}

static void restore(struct kg_training *training)
{
    KGATE_SCOPE("restore");
    const size_t bytes = training->model.parameters.floats * sizeof(float);
    memcpy(training->parameters, training->initial, bytes);
    memset(training->moment1, 0, bytes);
    memset(training->moment2, 0, bytes);
}

static void train_epoch(struct kg_training *training)
{
    KGATE_SCOPE("train_epoch");
    struct kg_slices *slices = &training->cpu->slices;
    const size_t bytes_a_step = training->batch * training->model.seq_len;
    restore(training);
    for (size_t step = 0; step < training->steps; step++) {
        KGATE_SCOPE("batch_processing");
        if (training->quantized)
            kg_quantize(&training->model, training->quantization, training->parameters,
                        training->quantized, slices->threads);
        training->losses[step] =
            (float)parallel_training(training, slices, training->text + step * bytes_a_step);
        kg_slices_reduce(slices, training->gradients);
        optimize(training, step + 1, slices->threads);
    }
}

bool kg_training_cpu_set_up(struct kgate_context *context, struct kg_training *training,
                            enum kg_transformer_version version)
{
    const float *parameters = training->quantized ? training->quantized : training->parameters;
    training->cpu = context->allocate(context, sizeof *training->cpu);
    training->version = train_epoch;
    return training->cpu ? kg_slices_make(context, &training->cpu->slices,
                                          version == KG_TRANSFORMER_PLAIN ? &kg_passes_plain
                                                                          : &kg_passes_fast,
                                          &training->model, parameters, training->batch, true)
                         : kg_kernel_refuse(context, "no memory");
}

void kg_training_cpu_tear_down(struct kgate_context *context, struct kg_training *training)
{
    if (!training->cpu)
        return;
    kg_slices_free(context, &training->cpu->slices);
    context->release(context, training->cpu);
}
