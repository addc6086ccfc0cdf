/* slices.h: a batch cut into slices of whole sequences, which the threads share. The cut depends on
 * the batch alone, and sums over slices follow their order. So results do not depend on the number
 * of threads. */
#pragma once
#include "kgate/plugin.h"
#include "transformer/passes.h"

/* Number of slices of a batch, within these bounds: one per KG_SLICE_TOKENS tokens. At most as many
 * threads share the batch. Each slice needs its own gradients, read once per step. Smaller slices
 * would spend more time on this, and their products are slower. */
enum { KG_SLICES_LEAST = 4, KG_SLICES_MOST = 16, KG_SLICE_TOKENS = 256 };

struct kg_slices {
    const struct kg_passes *passes;
    int threads;
    size_t count;
    struct kg_slice slice[KG_SLICES_MOST];
    size_t first[KG_SLICES_MOST]; /* the number of its first sequence */
    double loss[KG_SLICES_MOST];  /* the sum over its tokens */
};

/* Number of slices of a batch: one for plain, at most one per sequence for others. */
size_t kg_slices_count(const struct kg_passes *passes, size_t batch, size_t seq_len);

/* Allocates the slices of a batch, for the forward pass alone or for both. parameters and model
 * must outlive them. False with context->message; kg_slices_free frees a partial result. */
bool kg_slices_make(struct kgate_context *context, struct kg_slices *slices,
                    const struct kg_passes *passes, const struct kg_model *model,
                    const float *parameters, size_t batch, bool backward);
void kg_slices_free(struct kgate_context *context, struct kg_slices *slices);

/* gradients = the sum of the slices'. */
void kg_slices_reduce(const struct kg_slices *slices, float *gradients);
