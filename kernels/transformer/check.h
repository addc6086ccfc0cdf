/* check.h: common to the checks of both workloads: errors of tensors, and the reference on a
 * batch. */
#pragma once
#include "kgate/plugin.h"
#include "transformer/passes.h"

/* The largest deviation of x from the reference, over the reference's largest value. 0 for two
 * tensors of zeros; NaN if x has a NaN. */
double kg_tensor_error(const float *x, const double *reference, size_t n);

/* kg_tensor_error over the tensors of a model's gradients. Here the error is relative to the
 * tensor's largest value plus KG_GRADIENTS_SHARE of the largest of all tensors. If large terms
 * cancel to a small value, it has their uncertainty. */
#define KG_GRADIENTS_SHARE 0x1p-8
double kg_gradients_error(const struct kg_model *model, const float *gradients,
                          const double *reference);

/* The reference on a batch: each of its threads takes one sequence at a time. */
struct kg_reference_batch {
    const struct kg_model *model;
    const double *parameters;
    size_t batch;
    int threads;
    size_t attending;  /* as in the slices; if above 1, there is no backward pass */
    double *gradients; /* the sum over the batch; written */
    double loss;       /* the sum over the batch's tokens; written */
    /* Processes one sequence: fills the slice's gradients, and returns its part of `loss`. Several
     * threads may call it at once, each with a slice of its own. */
    double (*sequence)(const struct kg_reference_slice *slice, size_t number, void *argument);
    void *argument;
};

/* False with context->message if memory is missing. */
bool kg_reference_run(struct kgate_context *context, struct kg_reference_batch *batch);
