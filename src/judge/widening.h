/* widening.h: whether a part of the rounds became far slower, which a median does not see. Pure. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* Times of the rounds, above 0. */
struct kg_widening_rounds {
    const double *base; /* of the reference */
    size_t base_count;
    const double *current; /* rounds that are judged */
    size_t current_count;
    const double *others; /* the least that the other rounds took if nothing had disturbed them */
    size_t other_count;
};

/* How far the slowest rounds lie above the others, on both sides. */
struct kg_widening {
    bool widened;
    double
        tail; /* of this run: the slowest of all its rounds over the reference's median. A tenth of
                         the rounds is left out, at least one */
    double base_tail; /* of the reference: its slowest round of all over its median */
};

/* threshold  the relative change that counts
 * scratch    room for all rounds
 * returns    `widened`: more than one round in ten lies so far above the median that its
 *            logarithm is more than six times the reference's, and the threshold's. False with fewer
 *            than five rounds of a side (of the reference three, if rounds are not judged: its rounds
 *            of the same pairs are not either), or if none is judged. The figures are NaN then. */
struct kg_widening kg_widening_find(const struct kg_widening_rounds *rounds, double threshold,
                                    double *scratch);
