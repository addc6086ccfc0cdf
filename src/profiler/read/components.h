/* components.h: the parts that each case of a profile is made of, as a table whose shares add up to
 * the whole case. Pure but for the arena. */
#pragma once
#include "profiler/read/profile.h"

/* All scopes of one name inside a case. */
struct kg_component {
    const char *name;
    uint64_t calls;
    double total_ns; /* without calls inside one of the same name */
    double
        own_ns; /* without the scopes inside; on the GPU where that is where the case's time is */
    double mean_ns; /* of a call, as the next two */
    double min_ns;
    double max_ns;
    double share; /* own_ns of the case's time */
};

struct kg_components {
    const char *name; /* of the case: its id, or an outermost scope's name */
    uint64_t calls;
    double total_ns;
    bool on_gpu;                     /* total_ns and the shares are of time on the GPU */
    struct kg_component *components; /* the largest share first */
    size_t component_count;
    double outside_ns; /* in none of them */
    double outside_share;
};

/* The components of every case (bottleneck.h), the slowest first; they and `*found` live in `arena`
 * and borrow from the profile. false where memory is out. */
bool kg_components_find(struct kg_arena *arena, const struct kg_profile *profile,
                        struct kg_components **found, size_t *count);
