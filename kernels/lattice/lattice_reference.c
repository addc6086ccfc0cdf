#include <math.h>
#include <string.h>

#include "lattice/lattice.h"

enum { MOST = KG_LATTICE_DIMENSIONS_MOST };

/* Twice the inverses of the generators, by rows. */
static const signed char inverse_twice[KG_LATTICE_KINDS][MOST][MOST] = {
    [KG_LATTICE_Z2] = {{2, 0}, {0, 2}},
    [KG_LATTICE_D4] = {{1, -1, -1, -1}, {0, 2, 0, 0}, {0, 0, 2, 0}, {0, 0, 0, 2}},
    [KG_LATTICE_E8] = {{1, -1, -1, -1, -1, -1, -1, 5},
                       {0, 2, 0, 0, 0, 0, 0, -2},
                       {0, 0, 2, 0, 0, 0, 0, -2},
                       {0, 0, 0, 2, 0, 0, 0, -2},
                       {0, 0, 0, 0, 2, 0, 0, -2},
                       {0, 0, 0, 0, 0, 2, 0, -2},
                       {0, 0, 0, 0, 0, 0, 2, -2},
                       {0, 0, 0, 0, 0, 0, 0, 4}},
};

/* Twice the generators, by rows. */
static const signed char generator_twice[KG_LATTICE_KINDS][MOST][MOST] = {
    [KG_LATTICE_Z2] = {{2, 0}, {0, 2}},
    [KG_LATTICE_D4] = {{4, 2, 2, 2}, {0, 2, 0, 0}, {0, 0, 2, 0}, {0, 0, 0, 2}},
    [KG_LATTICE_E8] = {{4, 2, 2, 2, 2, 2, 2, 1},
                       {0, 2, 0, 0, 0, 0, 0, 1},
                       {0, 0, 2, 0, 0, 0, 0, 1},
                       {0, 0, 0, 2, 0, 0, 0, 1},
                       {0, 0, 0, 0, 2, 0, 0, 1},
                       {0, 0, 0, 0, 0, 2, 0, 1},
                       {0, 0, 0, 0, 0, 0, 2, 1},
                       {0, 0, 0, 0, 0, 0, 0, 1}},
};

static void multiply(const signed char twice[MOST][MOST], unsigned n, const double *x, double *y)
{
    for (unsigned i = 0; i < n; i++) {
        y[i] = 0;
        for (unsigned j = 0; j < n; j++)
            y[i] += twice[i][j] * x[j] / 2;
    }
}

/* The whole number nearest to v / unit. */
static double rounded(double v, double unit, bool up)
{
    return up ? floor((v + unit / 2) / unit) : ceil((v - unit / 2) / unit);
}

/* The half of an odd whole number nearest to v / unit. */
static double rounded_half(double v, double unit, bool up)
{
    return up ? floor(v / unit) + 0.5 : ceil(v / unit) - 0.5;
}

/* The point of Z^n nearest to v / unit; if `even`, of D_n; if `half` too, of D_n + 1/2. The
 * distance of a coordinate to its half follows from its distance to a whole number, which is exact
 * at every distance. */
static void nearest_shifted(unsigned n, bool even, bool half, const double *v, double unit, bool up,
                            double *point)
{
    double sum = 0, farthest = -INFINITY;
    unsigned at = 0;
    for (unsigned i = 0; i < n; i++) {
        const double from_whole = fabs(v[i] - unit * rounded(v[i], unit, up));
        const double far = half ? -from_whole : from_whole;
        point[i] = half ? rounded_half(v[i], unit, up) : rounded(v[i], unit, up);
        sum += half ? point[i] - 0.5 : point[i];
        if (far > farthest) {
            farthest = far;
            at = i;
        }
    }
    const double rest = v[at] - unit * point[at];
    if (even && fmod(sum, 2) != 0)
        point[at] += (up ? rest >= 0 : rest > 0) ? 1 : -1;
}

static double distance_squared(unsigned n, const double *v, double unit, const double *point)
{
    double sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum += (v[i] - unit * point[i]) * (v[i] - unit * point[i]);
    return sum;
}

static bool odd(const double *whole, double less)
{
    double sum = 0;
    for (unsigned i = 0; i < 8; i++)
        sum += whole[i] - less;
    return fmod(sum, 2) != 0;
}

/* How much nearer real v is to whole numbers than to halves. If the difference is as small as the
 * rounding of the float sum in the header, this float sum decides. */
static double whole_advantage(const double *v)
{
    double whole[8], half[8];
    float a[8], largest = 0, smallest = 1;
    for (unsigned i = 0; i < 8; i++) {
        whole[i] = rounded(v[i], 1, true);
        half[i] = rounded_half(v[i], 1, true);
        a[i] = (float)fabs(v[i] - whole[i]);
        largest = fmaxf(largest, a[i]);
        smallest = fminf(smallest, a[i]);
    }
    const float sum = ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7]));
    const float half_cost = (2.0F - sum) + (odd(half, 0.5) ? 2.0F * smallest : 0);
    return (double)(half_cost - (odd(whole, 0) ? 1.0F - 2.0F * largest : 0));
}

static void nearest_e8(const double *v, double unit, bool up, bool real, double *point)
{
    double half[8];
    nearest_shifted(8, true, false, v, unit, up, point);
    nearest_shifted(8, true, true, v, unit, up, half);
    double advantage = distance_squared(8, v, unit, half) - distance_squared(8, v, unit, point);
    if (real && fabs(advantage) < 1e-5)
        advantage = whole_advantage(v);
    if (advantage < 0 || (advantage == 0 && half[0] < point[0]))
        memcpy(point, half, sizeof half);
}

static void nearest(enum kg_lattice_kind kind, const double *v, double unit, bool up, bool real,
                    double *point)
{
    if (kind == KG_LATTICE_E8)
        nearest_e8(v, unit, up, real, point);
    else
        nearest_shifted(kg_lattice_dimensions(kind), kind == KG_LATTICE_D4, false, v, unit, up,
                        point);
}

/* The code of y; true if it overloads. */
static bool encode_scaled(enum kg_lattice_kind kind, const struct kg_lattice_plan *plan,
                          const double *y, uint64_t *code)
{
    const unsigned n = kg_lattice_dimensions(kind);
    const long q = (long)plan->q;
    double g[MOST], b[MOST], v[MOST];
    *code = 0;
    nearest(kind, y, 1, true, true, g);
    for (unsigned m = 0; m < plan->layers; m++) {
        multiply(inverse_twice[kind], n, g, b);
        for (unsigned i = 0; i < n; i++) {
            const long digit = ((long)b[i] % q + q) % q;
            *code |= (uint64_t)digit << (i * plan->coordinate_bits + m * plan->digit_bits);
        }
        memcpy(v, g, sizeof v);
        nearest(kind, v, (double)q, m + 1 == plan->layers, false, g);
    }
    for (unsigned i = 0; i < n; i++)
        if (g[i] != 0)
            return true;
    return false;
}

unsigned kg_lattice_reference_encode(enum kg_lattice_kind kind, const struct kg_lattice_plan *plan,
                                     const float *x, uint64_t *code)
{
    for (unsigned t = 0;; t++) {
        const float limit = plan->limit[t];
        double y[MOST] = {0};
        for (unsigned i = 0; i < kg_lattice_dimensions(kind); i++) {
            const float scaled = x[i] * plan->inverse_scale[t];
            y[i] = (double)(isnan(scaled) ? limit : fmaxf(-limit, fminf(scaled, limit)));
            if (y[i] == 0x1.fffffep-2) /* the float just below 1/2 is taken for it */
                y[i] = 0.5;
        }
        if (!encode_scaled(kind, plan, y, code) || t == KG_LATTICE_COUNTS - 1)
            return t;
    }
}

void kg_lattice_reference_decode(enum kg_lattice_kind kind, const struct kg_lattice_plan *plan,
                                 uint64_t code, unsigned count, float *x)
{
    const unsigned n = kg_lattice_dimensions(kind);
    const double q = (double)plan->q;
    double sum[MOST] = {0}, power = 1;
    for (unsigned m = 0; m < plan->layers; m++) {
        double b[MOST], v[MOST], point[MOST];
        for (unsigned i = 0; i < n; i++)
            b[i] = (double)(code >> (i * plan->coordinate_bits + m * plan->digit_bits) &
                            ((1U << plan->digit_bits) - 1));
        multiply(generator_twice[kind], n, b, v);
        nearest(kind, v, q, m + 1 == plan->layers, false, point);
        for (unsigned i = 0; i < n; i++)
            sum[i] += power * (v[i] - q * point[i]);
        power *= q;
    }
    for (unsigned i = 0; i < n; i++)
        x[i] = (float)sum[i] * plan->scale[count];
}
