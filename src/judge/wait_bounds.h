/* wait_bounds.h: whether waits for a CPU can explain the difference of a time. Used if the machine was too busy to
 * judge rounds. Pure. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "judge/reference.h"

/* Largest factor by which two programs on one memory, or two threads of a core, slow each other. */
extern const double KG_SHARED_MOST;

/* Bounds for the rounds of one side, in ns per call. */
struct kg_wait_bounds {
    double *least_ns; /* time without all waits; NaN: unknown */
    double *most_ns;  /* time with all waits */
    size_t count;
};

/* Bounds of a reference's rounds, in `arena`. */
void kg_wait_bounds_stored(struct kg_arena *arena, const struct kg_reference *reference,
                           struct kg_wait_bounds *bounds);

/* Whether the candidate is slower or faster than the reference by more than all waits of both sides. Each side leaves
 * out its wildest tenth. Of the rest, every round of one side must lie beyond every round of the other.
 * base, now  reordered
 * threshold  relative change that counts, as a share
 * factor     the slower side must also take this many times as long. KG_SHARED_MOST for a stored reference, because
 *            other programs slow caches and memory in every round; 1 for pairs.
 * returns    false if a side has fewer than five rounds or an unknown wait */
bool kg_waits_exceeded(struct kg_wait_bounds *base, struct kg_wait_bounds *now, double threshold,
                       double factor);
