/* wait_bounds.h: whether waiting for a CPU can explain how much a time differs, on a machine that was
 * too busy to judge its rounds. Pure. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "judge/reference.h"

/* Two programs on one memory, or two threads of a core, take at most so many times as long as alone. */
extern const double KG_SHARED_MOST;

/* What each round of one side took, per call. */
struct kg_wait_bounds {
    double *least_ns; /* without all of its waits; NaN: not known */
    double *most_ns;  /* with them */
    size_t count;
};

/* Those of a reference's rounds, in `arena`. */
void kg_wait_bounds_stored(struct kg_arena *arena, const struct kg_reference *reference,
                           struct kg_wait_bounds *bounds);

/* Whether the later side is slower than the earlier one, or faster, by more than all waits of both
 * together. Each side leaves out its wildest tenth; of the others every round of one side must lie
 * beyond every round of the other.
 * base, now  reordered
 * threshold  the relative change that counts
 * factor     the slower side must also take so many times as long. KG_SHARED_MOST of a stored
 *            reference: other programs slow caches and memory too, in every round. 1 of pairs.
 * returns    false with fewer than five rounds of a side, or where a wait is not known */
bool kg_waits_exceeded(struct kg_wait_bounds *base, struct kg_wait_bounds *now, double threshold,
                       double factor);
