#include "pairs.h"

#include <math.h>
#include <stdio.h>

void *pair_begin(struct kgate_context *context, size_t bytes)
{
    struct pair *pair = context->allocate(context, bytes);
    if (!pair)
        snprintf(context->message, sizeof context->message, "no memory for %zu bytes", bytes);
    else
        pair->threads = (int)context->threads;
    return pair;
}

void *pair_array(struct kgate_context *context, struct pair *pair, size_t count, size_t bytes)
{
    if (!pair || !count || pair->array_count == PAIR_ARRAYS)
        return NULL;
    void *array = context->allocate(context, count * bytes);
    pair->arrays[pair->array_count++] = array;
    return array;
}

void pair_end(struct kgate_context *context, void *state)
{
    struct pair *pair = state;
    if (!pair)
        return;
    for (size_t i = 0; i < pair->array_count; i++)
        context->release(context, pair->arrays[i]);
    context->release(context, pair);
}

bool pair_whole(struct kgate_context *context, struct pair *pair, bool whole, void **state)
{
    if (!whole) {
        snprintf(context->message, sizeof context->message, "no memory");
        pair_end(context, pair);
        return false;
    }
    *state = pair;
    return true;
}

uint64_t pair_random(uint64_t *sequence)
{
    uint64_t z = *sequence += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

float pair_uniform(uint64_t *sequence)
{
    return (float)(pair_random(sequence) >> 40) * 0x1p-24F;
}

void pair_fill(float *x, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++)
        x[i] = 2 * pair_uniform(&seed) - 1;
}

void pair_worse(double *worst, double error)
{
    if (isnan(error) || error > *worst)
        *worst = error;
}

double pair_roundings(double n)
{
    return n * 0x1p-24;
}

const struct kgate_plugin *kgate_plugin_workloads(void);
const struct kgate_plugin *kgate_plugin_workloads(void)
{
    static const struct kgate_workload *const workloads[] = {
        &pair_columns, &pair_convolution, &pair_journal, &pair_histogram,
        &pair_frames,  &pair_distances,   &pair_nearest, &pair_distinct,
        &pair_rescale, &pair_box_filter,  &pair_lookup,
    };
    static const struct kgate_plugin plugin = {.abi = KGATE_PLUGIN_ABI,
                                               .workloads = workloads,
                                               .workload_count =
                                                   sizeof workloads / sizeof *workloads};
    return &plugin;
}
