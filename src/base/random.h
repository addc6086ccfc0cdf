/* random.h: splitmix64 (Steele, Lea and Flood 2014): small, seeded, the same on every machine.
 * Pure; a state belongs to one thread. */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct kg_random {
    uint64_t state; /* set it to the seed */
};

static inline uint64_t kg_random_next(struct kg_random *random)
{
    uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* A seed for the same inputs with other values. */
static inline uint64_t kg_seed_other(uint64_t seed)
{
    return seed ^ UINT64_C(0x9e3779b97f4a7c15);
}

/* Uniform in [0, 1), 53 bits. */
static inline double kg_random_unit(struct kg_random *random)
{
    return (double)(kg_random_next(random) >> 11) * 0x1p-53;
}

/* Uniform in [low, high). */
static inline double kg_random_between(struct kg_random *random, double low, double high)
{
    return low + (high - low) * kg_random_unit(random);
}

/* Uniform in 0 … bound-1 (Lemire 2019, without the rejection: the bias is under 2^-32 for the
 * bounds of this program, below 2^32). bound at least 1. */
static inline uint64_t kg_random_below(struct kg_random *random, uint64_t bound)
{
    return ((kg_random_next(random) >> 32) * bound) >> 32;
}

/* Fisher-Yates over an array of indices. */
static inline void kg_random_shuffle(struct kg_random *random, size_t *index, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        const size_t j = (size_t)kg_random_below(random, i);
        const size_t swap = index[i - 1];
        index[i - 1] = index[j];
        index[j] = swap;
    }
}
