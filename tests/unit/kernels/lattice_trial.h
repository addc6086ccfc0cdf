/* lattice_trial.h: vectors that are hard to encode, and counts of tests by the build. For tests of
 * the lattice kernels under cmocka, in C and C++. */
#pragma once
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"
#include "lattice/lattice.h"

/* Tests of random vectors take all vectors in optimised code, and fewer under the sanitizers. */
#ifdef __SANITIZE_ADDRESS__
enum { LATTICE_LESS = 40 };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
enum { LATTICE_LESS = 40 };
#else
enum { LATTICE_LESS = 1 };
#endif
#else
enum { LATTICE_LESS = 1 };
#endif

/* A coordinate in units of beta, a power of two here, so that division by beta is exact. It is a
 * whole number, half, quarter or third, a value beside these, or any number. Sometimes it is NaN or
 * infinite. */
static inline float lattice_coordinate(struct kg_random *random, unsigned kind, float range)
{
    const float whole = (float)((double)range * (2 * kg_random_unit(random) - 1));
    const float border = rintf(whole * 4.0F) / 4.0F;
    switch (kind) {
    case 0:
        return border;
    case 1:
        return nextafterf(border, whole * 1e9F);
    case 2:
        return border + 0x1p-20F * (float)kg_random_below(random, 3);
    case 3:
        return rintf(whole * 6.0F) / 6.0F;
    default:
        return whole;
    }
}

static inline float lattice_impossible(struct kg_random *random)
{
    static const float values[] = {INFINITY, -INFINITY, 3e38F, -3e38F, 1e9F,
                                   -1e-30F,  1e-44F,    -0.0F, 4e5F,   -262144.0F};
    const uint64_t which = kg_random_below(random, 11);
    return which < 10 ? values[which] : (float)NAN;
}

/* A vector of n coordinates. Most reach about as far as codes do; a few far beyond. */
static inline void lattice_vector(struct kg_random *random, unsigned n, float beta, float *x)
{
    const unsigned kind = (unsigned)kg_random_below(random, 6);
    const float range = kg_random_below(random, 8) ? 8.0F : 2000.0F;
    const int impossible = kg_random_below(random, 64) == 0;
    for (unsigned i = 0; i < n; i++) {
        x[i] = beta * lattice_coordinate(random, kind, range);
        if (impossible && kg_random_below(random, 2))
            x[i] = lattice_impossible(random);
    }
}
