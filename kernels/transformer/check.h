/* check.h: what both workloads' checks share: errors of tensors, and the reference on a batch. */
#pragma once
#include "kgate/plugin.h"
#include "transformer/passes.h"

/* How far x is from the reference: the largest deviation over the reference's largest value. 0 for
 * two tensors of zeros; not a number where one of x is not. */
double kg_tensor_error(const float *x, const double *reference, size_t n);

/* The same over the tensors of a model's gradients, but relative to the tensor's largest value and
 * KG_GRADIENTS_SHARE of the largest of all tensors: what is small because large terms cancel is as
 * uncertain as they are. */
#define KG_GRADIENTS_SHARE 0x1p-8
double kg_gradients_error(const struct kg_model *model, const float *gradients,
                          const double *reference);

/* The reference on a batch: each of its threads takes one sequence at a time. */
struct kg_reference_batch {
    const struct kg_model *model;
    const double *parameters;
    size_t batch;
    int threads;
    size_t attending;  /* as the slices'; no backward pass where it is above 1 */
    double *gradients; /* the sum over the batch; written */
    double loss;       /* likewise, over its tokens */
    /* Does one sequence: fills the slice's gradients, and gives what `loss` adds up. May be called
     * by several threads at once, each with a slice of its own. */
    double (*sequence)(const struct kg_reference_slice *slice, size_t number, void *argument);
    void *argument;
};

/* False with context->message where there is no memory for it. */
bool kg_reference_run(struct kgate_context *context, struct kg_reference_batch *batch);
