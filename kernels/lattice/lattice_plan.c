#include <math.h>

#include "lattice/lattice.h"

/* Bounds of a vector in the layers. packing: radius within which every point belongs to the origin.
 * covering: largest distance from a point to the lattice. cube: half side of a cube in a ball of
 * radius 1. Z2 by coordinates, the others by lengths. */
static const struct {
    double packing;
    double covering;
    double cube;
} bounds[KG_LATTICE_KINDS] = {
    [KG_LATTICE_Z2] = {0.5, 0.5, 1},
    [KG_LATTICE_D4] = {M_SQRT1_2, 1, 0.5},
    [KG_LATTICE_E8] = {M_SQRT1_2, 1, M_SQRT1_2 / 2},
};

/* The half side of a cube that cannot overload. At first |g| <= |y| + R, and after each layer
 * |Q_L(g / q)| <= |g| / q + R. g of the last layer must stay below q times the packing radius. 0 if
 * no cube remains, as for q = 2. */
static double clip(enum kg_lattice_kind kind, double q, unsigned layers)
{
    double most = q * bounds[kind].packing * 0.999;
    for (unsigned m = 1; m < layers; m++)
        most = q * (most - bounds[kind].covering);
    return fmax(0, (most - bounds[kind].covering) * bounds[kind].cube);
}

bool kg_lattice_plan_make(struct kg_lattice_plan *plan, enum kg_lattice_kind kind, unsigned q,
                          unsigned layers, double beta, double alpha)
{
    const unsigned most = kind == KG_LATTICE_E8 ? KG_LATTICE_COORDINATE_BITS_MOST_E8
                                                : KG_LATTICE_COORDINATE_BITS_MOST;
    unsigned digit_bits = 1;
    while (1U << digit_bits < q)
        digit_bits++;
    if (digit_bits * layers > most)
        return false;
    const unsigned code_bits = kg_lattice_dimensions(kind) * digit_bits * layers;
    *plan = (struct kg_lattice_plan){.q = (float)q,
                                     .inverse_q = 1.0F / (float)q,
                                     .layers = layers,
                                     .digit_bits = digit_bits,
                                     .coordinate_bits = digit_bits * layers,
                                     .code_bytes = 1};
    while (8 * plan->code_bytes < code_bits)
        plan->code_bytes *= 2;
    for (unsigned t = 0; t < KG_LATTICE_COUNTS; t++) {
        const double scale = beta * pow(alpha, t);
        plan->scale[t] = (float)scale;
        plan->inverse_scale[t] = (float)(1 / scale);
        plan->limit[t] = KG_LATTICE_LIMIT;
    }
    plan->limit[KG_LATTICE_COUNTS - 1] = (float)fmin(KG_LATTICE_LIMIT, clip(kind, q, layers));
    return true;
}
