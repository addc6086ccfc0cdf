/* components.h: the components of each case of a profile, as a table. The shares of the components add up to the whole
 * case, whatever is nested inside them. Pure, except that it allocates in an arena. */
#pragma once
#include "profiler/read/profile.h"

/* A component of a case: all scopes of one name directly inside it, with everything nested in them. Or, if `inner`, all
 * scopes of one name inside a component, at any depth. */
struct kg_component {
    const char *name;
    bool inner; /* follows its component; its time is part of the component's */
    uint64_t calls;
    double total_ns; /* without calls inside a scope of this name */
    double own_ns;   /* self time; GPU time if most of the case's time is on the GPU */
    double mean_ns;  /* per call, like the next two */
    double min_ns;
    double max_ns;
    double standard_deviation_ns;
    double share;       /* time with everything inside over the case's time */
    double outer_share; /* `share` of its component; of a component its own */
    size_t outer;       /* number of its component, the same for all inner ones */
};

struct kg_components {
    const char *name; /* of the case: its id, or an outermost scope's name; "all scopes" */
    uint64_t calls;
    double total_ns;
    bool on_gpu;                     /* total_ns and the shares are of GPU time */
    struct kg_component *components; /* the largest share first, each before its inner ones */
    size_t component_count;
    double outside_ns; /* time outside the components */
    double outside_share;
};

/* The components of every case (bottleneck.h), the slowest first. They and `*found` live in `arena`
 * and borrow from the profile. false if memory is out. */
bool kg_components_find(struct kg_arena *arena, const struct kg_profile *profile,
                        struct kg_components **found, size_t *count);

/* The names of a recording without nesting, as the components of one case "all scopes", which is in
 * `arena`. false if the recording has no scopes, or memory is out. */
bool kg_components_flat(struct kg_arena *arena, const struct kg_profile *profile,
                        struct kg_components **found);
