/* lattice_point.h: nearest lattice points and the lattices' generators, for host and device: plain
 * C that is C++ and CUDA C too. Pure functions without branches, so compilers can vectorise a loop
 * over vectors around them.
 *
 * Nearest points (Conway and Sloane 1982, algorithms 2 and 5): each coordinate is rounded, f_i =
 * [v_i / unit], with the remainder r_i = v_i - unit f_i. D4: if the sum of f is odd, the coordinate
 * with the largest |r_i| is rounded the other way. E8 is D8 and D8 + (1/2)^8: the nearer of their
 * two nearest points. No square is needed. Compared with D8, rounding to halves reduces the squared
 * distance of coordinate i by unit |r_i| - unit^2 / 4. Rounding i the other way adds unit (unit - 2
 * |r_i|) among whole numbers, 2 unit |r_i| among halves.
 *
 * Ties. Decoding undoes encoding exactly if the nearest point of a layer commutes with the
 * lattice's translations: Q(v + p) = Q(v) + p for p in L. This must hold for ties too, which are
 * frequent for points of L / q. So only the remainders may break a tie, since p does not change
 * them:
 * - x itself and the last layer round halves up; the layers before round halves down. With one
 *   direction for all layers, the digits -q/2 … q/2 - 1 of even q would add up to a lopsided range.
 *   For q = 4 it would reach twice as far to one side;
 * - of equal |r_i| the lowest i is rounded the other way. r_i = 0 counts as positive if halves go
 *   up, as negative if they go down;
 * - of two equally near points of E8's halves, the smaller first coordinate wins. (A translation by
 *   an odd half swaps D8 and D8 + 1/2, so "the first" would not do.)
 *
 * Exactness. Layers hold whole numbers and halves up to 2^18 + 1 in floats, and sums of eight of
 * these. Sums, products and remainders are then exact, with or without fusion of a product into a
 * sum. Roundings use 1 / q and are exact, too. v / q + 1/(8 q) is at least 1/(8 q) away from a
 * change of the rounding. Its error is at most |v| / q 2^-22, which is less below 2^19. Only G^-1 g
 * of clipped x can be larger, E8's up to 6 2^18, so that its digit may change. But such g are far
 * outside the reach of codes: they overload, and their digits are dropped. Two operations round.
 * One is the product x * 1 / (beta alpha^t). The other is E8's sum of eight |r_i| of x, in the
 * order written here. Compilers must not contract these. Nearest points of x / beta are exact for
 * Z2 and D4, except for the one float just below 1/2; E8's up to 2^-21. */
#pragma once
#include <math.h>
#include <stdint.h>

#ifdef __CUDACC__
#define KG_BOTH static __host__ __device__ __forceinline__
#else
#define KG_BOTH static inline __attribute__((always_inline))
#endif

/* a b + c. Use it only if all three and the result are exact, or fusion is harmless. */
#if defined(__CUDA_ARCH__) || defined(__FMA__)
#define KG_EXACT_FMA(a, b, c) fmaf(a, b, c)
#else
#define KG_EXACT_FMA(a, b, c) ((a) * (b) + (c))
#endif

enum kg_lattice_kind { KG_LATTICE_Z2, KG_LATTICE_D4, KG_LATTICE_E8, KG_LATTICE_KINDS };

enum {
    KG_LATTICE_DIMENSIONS_MOST = 8,
    KG_LATTICE_COUNT_BITS = 4, /* bits of the count of overloads, stored with each vector */
    KG_LATTICE_COUNTS = 1 << KG_LATTICE_COUNT_BITS
};

/* Constants of encoder and decoder, made by kg_lattice_plan_make. Passed to the GPU by value. */
struct kg_lattice_plan {
    float q;
    float inverse_q;
    unsigned layers;
    unsigned digit_bits;      /* ceil(log2 q) */
    unsigned coordinate_bits; /* layers * digit_bits */
    unsigned code_bytes;      /* 1, 2, 4 or 8 */
    /* for each count t of overloads: */
    float scale[KG_LATTICE_COUNTS];         /* beta alpha^t */
    float inverse_scale[KG_LATTICE_COUNTS]; /* 1 / (beta alpha^t) */
    float limit[KG_LATTICE_COUNTS];         /* x / (beta alpha^t) is clipped to it */
};

KG_BOTH unsigned kg_lattice_dimensions(enum kg_lattice_kind kind)
{
    return kind == KG_LATTICE_Z2 ? 2U : kind == KG_LATTICE_D4 ? 4U : 8U;
}

/* The larger, or the smaller, of a and b; b if a is NaN. One instruction each: this comparison on
 * the CPU, the function on the GPU. */
KG_BOTH float kg_lattice_more(float a, float b)
{
#ifdef __CUDA_ARCH__
    return fmaxf(a, b);
#else
    return a > b ? a : b;
#endif
}

KG_BOTH float kg_lattice_less(float a, float b)
{
#ifdef __CUDA_ARCH__
    return fminf(a, b);
#else
    return a < b ? a : b;
#endif
}

/* --- Nearest points --------------------------------------------------------------------------- */

/* 1 for an odd whole number, else 0. */
KG_BOTH float kg_lattice_odd(float sum)
{
    return sum - 2.0F * floorf(sum * 0.5F);
}

/* +1 or -1: the side of a coordinate relative to its rounded value. tie is 0 for real remainders,
 * which are never -0. For multiples of 1/2, tie is 1/8 or -1/8: the sign that 0 gets. */
KG_BOTH float kg_lattice_side(float remainder, float tie)
{
    return copysignf(1.0F, remainder + tie);
}

/* Z2: rounding is all. D4: from the rounded coordinates f and their remainders r, in place. */
KG_BOTH void kg_lattice_nearest_d4(float *f, const float *r, float tie)
{
    const float odd = kg_lattice_odd((f[0] + f[1]) + (f[2] + f[3]));
    const float a0 = fabsf(r[0]), a1 = fabsf(r[1]), a2 = fabsf(r[2]), a3 = fabsf(r[3]);
    const float front = kg_lattice_more(a1, a0), back = kg_lattice_more(a3, a2);
    const float first = back > front ? 0.0F : odd, second = odd - first;
    const float one = a1 > a0 ? first : 0.0F, three = a3 > a2 ? second : 0.0F;
    f[0] += (first - one) * kg_lattice_side(r[0], tie);
    f[1] += one * kg_lattice_side(r[1], tie);
    f[2] += (second - three) * kg_lattice_side(r[2], tie);
    f[3] += three * kg_lattice_side(r[3], tie);
}

/* ((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7)). */
KG_BOTH float kg_lattice_sum(const float *x)
{
    return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
}

KG_BOTH float kg_lattice_product(const float *x)
{
    return ((x[0] * x[1]) * (x[2] * x[3])) * ((x[4] * x[5]) * (x[6] * x[7]));
}

/* E8, from f and r like D4; f becomes whole numbers or halves. The choice of the two comes first.
 * Then each coordinate moves, and the first of the farthest from its value moves the other way. */
KG_BOTH void kg_lattice_nearest_e8(float *f, const float *r, float unit, float tie)
{
    float a[8], side[8];
    for (int i = 0; i < 8; i++) {
        a[i] = fabsf(r[i]);
        side[i] = kg_lattice_side(r[i], tie);
    }
    float largest = a[0], smallest = a[0];
    for (int i = 1; i < 8; i++) {
        largest = kg_lattice_more(a[i], largest);
        smallest = kg_lattice_less(a[i], smallest);
    }
    const float whole_odd = kg_lattice_odd(kg_lattice_sum(f));
    /* The half below is f_i, or f_i - 1 if the side is negative. */
    const float half_odd = 0.5F - kg_lattice_product(side) * (0.5F - whole_odd);
    const float whole_cost = whole_odd * (unit - 2.0F * largest);
    const float half_cost = (2.0F * unit - kg_lattice_sum(a)) + half_odd * (2.0F * smallest);
    /* How far to `side` the two lie apart in coordinate 0. */
    const float apart =
        (a[0] == smallest ? 0.5F - half_odd : 0.5F) - (a[0] == largest ? whole_odd : 0.0F);
    const int nearer = half_cost < whole_cost, equal = half_cost == whole_cost;
    const int halves = nearer | (equal & (apart * side[0] < 0));
    const float move = halves ? 0.5F : 0.0F, farthest = halves ? smallest : largest;
    float back = halves ? -half_odd : whole_odd;
    for (int i = 0; i < 8; i++) {
        const float away = a[i] == farthest ? back : 0.0F;
        back -= away;
        f[i] += (move + away) * side[i];
    }
}

KG_BOTH void kg_lattice_nearest(enum kg_lattice_kind kind, float *f, const float *r, float unit,
                                float tie)
{
    if (kind == KG_LATTICE_D4)
        kg_lattice_nearest_d4(f, r, tie);
    else if (kind == KG_LATTICE_E8)
        kg_lattice_nearest_e8(f, r, unit, tie);
}

/* point = Q_L(y) of a real vector, |y_i| at most 2^18, halves up. The float just below 1/2 is taken
 * for 1/2: added to 1/2 it is 1. */
KG_BOTH void kg_lattice_nearest_real(enum kg_lattice_kind kind, const float *y, float *point)
{
    float r[KG_LATTICE_DIMENSIONS_MOST];
    for (unsigned i = 0; i < kg_lattice_dimensions(kind); i++) {
        point[i] = floorf(y[i] + 0.5F);
        r[i] = y[i] - point[i];
    }
    kg_lattice_nearest(kind, point, r, 1.0F, 0.0F);
}

/* Whether halves go up or down between layer and layer + 1. */
KG_BOTH float kg_lattice_tie(const struct kg_lattice_plan *plan, unsigned layer)
{
    return layer + 1 == plan->layers ? 0.125F : -0.125F;
}

/* nearest = Q_L(v / q) of whole numbers and halves v. */
KG_BOTH void kg_lattice_nearest_layer(enum kg_lattice_kind kind, const struct kg_lattice_plan *plan,
                                      const float *v, float tie, float *nearest)
{
    float r[KG_LATTICE_DIMENSIONS_MOST];
    const float nudge = tie * plan->inverse_q;
    for (unsigned i = 0; i < kg_lattice_dimensions(kind); i++) {
        nearest[i] = rintf(KG_EXACT_FMA(v[i], plan->inverse_q, nudge));
        r[i] = KG_EXACT_FMA(-plan->q, nearest[i], v[i]);
    }
    kg_lattice_nearest(kind, nearest, r, plan->q, tie);
}

/* --- Generators ----------------------------------------------------------------------------------
 * Columns of G: D4 (2,0,0,0), (1,1,0,0), (1,0,1,0), (1,0,0,1); E8 2 e_1, e_1 + e_i for i = 2 to 7,
 * and (1/2)^8. */

/* b = G^-1 point: whole numbers. */
KG_BOTH void kg_lattice_coordinates(enum kg_lattice_kind kind, const float *point, float *b)
{
    for (unsigned i = 0; i < kg_lattice_dimensions(kind); i++)
        b[i] = point[i];
    if (kind == KG_LATTICE_D4)
        b[0] = ((point[0] - point[1]) - (point[2] + point[3])) * 0.5F;
    if (kind == KG_LATTICE_E8) {
        for (int i = 0; i < 7; i++)
            b[i] = point[i] - point[7];
        b[0] = (b[0] - (((b[1] + b[2]) + (b[3] + b[4])) + (b[5] + b[6]))) * 0.5F;
        b[7] = 2.0F * point[7];
    }
}

/* point = G b. */
KG_BOTH void kg_lattice_point(enum kg_lattice_kind kind, const float *b, float *point)
{
    for (unsigned i = 0; i < kg_lattice_dimensions(kind); i++)
        point[i] = b[i];
    if (kind == KG_LATTICE_D4)
        point[0] = (2.0F * b[0] + b[1]) + (b[2] + b[3]);
    if (kind == KG_LATTICE_E8) {
        const float half = 0.5F * b[7];
        point[0] = (2.0F * b[0] + half) + (((b[1] + b[2]) + (b[3] + b[4])) + (b[5] + b[6]));
        for (int i = 1; i < 7; i++)
            point[i] = b[i] + half;
        point[7] = half;
    }
}
