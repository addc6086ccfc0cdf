/* Common code of the workloads. */
#include "workload.h"

#include <stdio.h>

void *workload_begin(struct kgate_context *context, size_t bytes, void **state)
{
    *state = context->allocate(context, bytes);
    if (!*state)
        snprintf(context->message, sizeof context->message, "no memory");
    return *state;
}

void workload_end(struct kgate_context *context, void *state)
{
    context->release(context, state);
}

bool workload_wrong(struct kgate_check *check, size_t wrong)
{
    *check = (struct kgate_check){.error = (double)wrong};
    return true;
}

uint64_t workload_random(uint64_t *sequence)
{
    uint64_t z = *sequence += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}
