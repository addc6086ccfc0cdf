/* widening.h: whether a part of the rounds became far slower, which a median does not see. Pure. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* How far the slowest rounds lie above the others, on both sides. */
struct kg_widening {
    bool widened;
    double tail;      /* of this run: its slowest round over the larger median of both sides. Left
                         out are a tenth of the rounds, at least one */
    double base_tail; /* of the reference: its slowest round of all over its median */
};

/* base, current  times of the rounds, above 0
 * threshold      the relative change that counts
 * scratch        room for all of them
 * returns        `widened`: more than one round in ten lies so far above the median that its
 *                logarithm is more than six times the reference's, and the threshold's. False with
 *                fewer than five rounds of a side. The figures are NaN then. */
struct kg_widening kg_widening_find(const double *base, size_t base_count, const double *current,
                                    size_t current_count, double threshold, double *scratch);
