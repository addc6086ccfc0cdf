#include "why/rules/repeat_candidates.h"

#include <math.h>
#include <string.h>

#include "why/rules/causes_weighing.h"

/* The sampled function that an edge calls, if it is a candidate; NULL: none. */
static const struct kg_hot_place *candidate_of(const struct kg_hot *hot,
                                               const struct kg_counted_edge *edge)
{
    static const double MUCH = 200; /* instructions per call */
    if (!(edge->calls >= KG_OFTEN) || !(edge->instructions >= MUCH * edge->calls))
        return NULL;
    for (size_t i = 0; i < hot->sampled.function_count; i++) {
        const struct kg_hot_place *function = &hot->sampled.functions[i];
        if (function->place.function && !strcmp(function->place.function, edge->callee) &&
            !kg_place_is_library(&function->place) && function->total >= KG_REPEATS_SHARE)
            return function;
    }
    return NULL;
}

size_t kg_repeat_candidates(const struct kg_hot *hot,
                            struct kg_repeat_candidate candidates[KG_HOT_REPEATS_MOST])
{
    const struct kg_counted *counted = &hot->counted;
    size_t count = 0;
    for (size_t i = 0; i < counted->edge_count && count < KG_HOT_REPEATS_MOST; i++) {
        const struct kg_hot_place *function = candidate_of(hot, &counted->edges[i]);
        bool fresh = function != NULL;
        for (size_t k = 0; k < count; k++)
            fresh = fresh && candidates[k].function != function;
        if (fresh)
            candidates[count++] = (struct kg_repeat_candidate){function, &counted->edges[i]};
    }
    return count;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

const struct kg_repeated *kg_repeated_of(const struct kg_repeats *repeats,
                                         const struct kg_place *function)
{
    for (size_t i = 0; i < repeats->function_count; i++) {
        const struct kg_repeated *one = &repeats->functions[i];
        if (same_text(one->place.function, function->function) &&
            same_text(one->place.module, function->module) && !isnan(one->calls))
            return one;
    }
    return NULL;
}
