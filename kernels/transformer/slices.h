/* slices.h: a batch cut into slices of whole sequences, which the threads share. How it is cut
 * depends on the batch alone, and what is summed over slices is summed in their order: so results
 * are the same whatever the number of threads. */
#pragma once
#include "kgate/plugin.h"
#include "transformer/passes.h"

/* Into how many parts a batch is cut, of which as many threads can work on it: as many as have
 * KG_SLICE_TOKENS each, within these bounds. Each has gradients of its own, which are read once a
 * step: of smaller parts that takes its share of the time, and their products are slower. */
enum { KG_SLICES_LEAST = 4, KG_SLICES_MOST = 16, KG_SLICE_TOKENS = 256 };

struct kg_slices {
    const struct kg_passes *passes;
    int threads;
    size_t count;
    struct kg_slice slice[KG_SLICES_MOST];
    size_t first[KG_SLICES_MOST]; /* the number of its first sequence */
    double loss[KG_SLICES_MOST];  /* the sum over its tokens */
};

/* How many slices a version has of a batch: plain one, others no more than sequences. */
size_t kg_slices_count(const struct kg_passes *passes, size_t batch, size_t seq_len);

/* Allocates what the slices of a batch need, for the forward pass alone or for both. parameters and
 * model must outlive them. False with context->message; what is made by
 * then, kg_slices_free frees. */
bool kg_slices_make(struct kgate_context *context, struct kg_slices *slices,
                    const struct kg_passes *passes, const struct kg_model *model,
                    const float *parameters, size_t batch, bool backward);
void kg_slices_free(struct kgate_context *context, struct kg_slices *slices);

/* gradients = the sum of the slices'. */
void kg_slices_reduce(const struct kg_slices *slices, float *gradients);
