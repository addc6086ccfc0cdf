/* losses.h: sums of losses. */
#pragma once
#include "kgate/profiler.h"

static inline void kg_losses_add(struct kgate_profile_losses *sum,
                                 const struct kgate_profile_losses *more)
{
    sum->dropped += more->dropped;
    sum->too_deep += more->too_deep;
    sum->unbalanced += more->unbalanced;
    sum->unfinished += more->unfinished;
    sum->sampled_out += more->sampled_out;
    sum->gpu_dropped += more->gpu_dropped;
}
