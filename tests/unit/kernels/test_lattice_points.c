/* Nearest lattice points against a search, ties and translations, and codes against the theorem
 * that decoding undoes encoding. */
#include "kernels/lattice_trial.h"
#include "test_support.h"

enum { MOST = KG_LATTICE_DIMENSIONS_MOST, SEED = 20250513 };

static const char *const names[] = {"Z2", "D4", "E8"};

static double sum_of(const float *point, unsigned n)
{
    double sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum += (double)point[i];
    return sum;
}

static bool in_lattice(enum kg_lattice_kind kind, const float *point)
{
    const unsigned n = kg_lattice_dimensions(kind);
    const float shift = kind == KG_LATTICE_E8 && point[0] != rintf(point[0]) ? 0.5F : 0;
    for (unsigned i = 0; i < n; i++)
        if (point[i] - shift != rintf(point[i] - shift))
            return false;
    return kind == KG_LATTICE_Z2 || fmod(sum_of(point, n) - n * (double)shift, 2) == 0;
}

static double distance_squared(unsigned n, const double *v, const float *point, double unit)
{
    double sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum += (v[i] - unit * (double)point[i]) * (v[i] - unit * (double)point[i]);
    return sum;
}

/* The least squared distance from v to `unit` times a lattice point, by trying all combinations.
 * Each coordinate takes the `around` whole numbers (and halves) around v's. */
static double searched(enum kg_lattice_kind kind, const double *v, double unit, unsigned around)
{
    const unsigned n = kg_lattice_dimensions(kind);
    double best = INFINITY;
    for (unsigned half = 0; half < (kind == KG_LATTICE_E8 ? 2U : 1U); half++) {
        float point[MOST], first[MOST];
        unsigned at[MOST] = {0};
        for (unsigned i = 0; i < n; i++)
            first[i] = (float)(floor(v[i] / unit - 0.5 * half) + 0.5 * half - (around - 2) / 2);
        for (unsigned i = 0; i < n;) {
            for (i = 0; i < n; i++)
                point[i] = first[i] + (float)at[i];
            if (in_lattice(kind, point))
                best = fmin(best, distance_squared(n, v, point, unit));
            for (i = 0; i < n && ++at[i] == around; i++)
                at[i] = 0;
        }
    }
    return best;
}

static void fail_at(const char *what, enum kg_lattice_kind kind, const float *x, uint64_t seed)
{
    for (unsigned i = 0; i < kg_lattice_dimensions(kind); i++)
        print_message("x[%u] = %a\n", i, (double)x[i]);
    fail_msg("%s: %s, seed %llu", names[kind], what, (unsigned long long)seed);
}

static void nearest_point_is_checked(enum kg_lattice_kind kind, const float *y, unsigned around)
{
    const unsigned n = kg_lattice_dimensions(kind);
    float point[MOST];
    double v[MOST];
    for (unsigned i = 0; i < n; i++)
        v[i] = (double)y[i];
    kg_lattice_nearest_real(kind, y, point);
    if (!in_lattice(kind, point))
        fail_at("no lattice point", kind, y, SEED);
    /* E8's sum of eight is rounded; the other comparisons are exact, but the float just below 1/2
     * is taken for 1/2. */
    bool next_to_half = false;
    for (unsigned i = 0; i < n; i++)
        next_to_half |= y[i] == 0x1.fffffep-2F;
    const double slack = kind == KG_LATTICE_E8 || next_to_half ? 0x1p-20 : 1e-12;
    const double distance = distance_squared(n, v, point, 1);
    if (distance > searched(kind, v, 1, around) + slack)
        fail_at("another point is nearer", kind, y, SEED);
    if (distance > (kind == KG_LATTICE_Z2 ? 0.5 : 1) + slack)
        fail_at("farther than the covering radius", kind, y, SEED);
}

static void nearest_points_are_those_of_a_search(void **state)
{
    static const size_t counts[] = {1000000, 400000, 20000};
    struct kg_random random = {SEED};
    (void)state;
    for (unsigned kind = 0; kind < KG_LATTICE_KINDS; kind++)
        for (size_t k = 0; k < counts[kind] / LATTICE_LESS; k++) {
            float y[MOST];
            const unsigned way = (unsigned)kg_random_below(&random, 6);
            for (unsigned i = 0; i < kg_lattice_dimensions(kind); i++)
                y[i] = lattice_coordinate(&random, way, k % 5 ? 2 : 1000);
            nearest_point_is_checked(kind, y, 2);
        }
}

static void no_point_farther_away_is_nearer(void **state)
{
    struct kg_random random = {SEED};
    (void)state;
    for (size_t k = 0; k < 20; k++) {
        float y[MOST];
        for (unsigned i = 0; i < MOST; i++)
            y[i] = lattice_coordinate(&random, (unsigned)k % 6, 2);
        nearest_point_is_checked(KG_LATTICE_Z2, y, 6);
        nearest_point_is_checked(KG_LATTICE_D4, y, 6);
        if (k < 4)
            nearest_point_is_checked(KG_LATTICE_E8, y, 4);
    }
}

/* A random point of the lattice: G b. */
static void point_at_random(struct kg_random *random, enum kg_lattice_kind kind, float *point)
{
    float b[MOST];
    for (unsigned i = 0; i < kg_lattice_dimensions(kind); i++)
        b[i] = (float)kg_random_below(random, 65) - 32;
    kg_lattice_point(kind, b, point);
}

static void generators_and_their_inverses_agree(void **state)
{
    struct kg_random random = {SEED};
    (void)state;
    for (unsigned kind = 0; kind < KG_LATTICE_KINDS; kind++)
        for (size_t k = 0; k < 1000; k++) {
            float point[MOST], b[MOST], again[MOST];
            point_at_random(&random, kind, point);
            kg_lattice_coordinates(kind, point, b);
            kg_lattice_point(kind, b, again);
            if (!in_lattice(kind, point) ||
                memcmp(point, again, kg_lattice_dimensions(kind) * sizeof(float)) != 0)
                fail_at("G b and G^-1 disagree", kind, point, SEED);
        }
}

/* Q(v + q p) = Q(v) + p, and Q(v) is a nearest point, for v among a layer's points. Many of these
 * have several nearest points. */
static void layer_commutes(struct kg_random *random, enum kg_lattice_kind kind, unsigned q,
                           float tie)
{
    const unsigned n = kg_lattice_dimensions(kind);
    struct kg_lattice_plan plan;
    float v[MOST], p[MOST], moved[MOST], nearest[MOST], nearest_moved[MOST];
    double exact[MOST];
    assert_true(kg_lattice_plan_make(&plan, kind, q, 1, 1, 2));
    point_at_random(random, kind, v);
    point_at_random(random, kind, p);
    for (unsigned i = 0; i < n; i++) {
        moved[i] = v[i] + plan.q * p[i];
        exact[i] = (double)v[i];
    }
    kg_lattice_nearest_layer(kind, &plan, v, tie, nearest);
    kg_lattice_nearest_layer(kind, &plan, moved, tie, nearest_moved);
    for (unsigned i = 0; i < n; i++)
        if (nearest_moved[i] != nearest[i] + p[i])
            fail_at("a translation changes the way a tie is broken", kind, v, q);
    if (!in_lattice(kind, nearest))
        fail_at("no lattice point", kind, v, q);
    if (distance_squared(n, exact, nearest, q) > searched(kind, exact, q, 2))
        fail_at("another point is nearer", kind, v, q);
}

static void layers_commute_with_translations(void **state)
{
    static const size_t counts[] = {200000, 100000, 6000};
    struct kg_random random = {SEED};
    (void)state;
    for (unsigned kind = 0; kind < KG_LATTICE_KINDS; kind++)
        for (size_t k = 0; k < counts[kind] / LATTICE_LESS; k++)
            layer_commutes(&random, kind, 2 + (unsigned)kg_random_below(&random, k % 4 ? 7 : 255),
                           k % 2 ? 0.125F : -0.125F);
}

struct shape {
    enum kg_lattice_kind kind;
    unsigned q;
    unsigned layers;
};

/* Code number `number` of q^(n M); returns whether it exists. */
static bool code_at(const struct kg_lattice_plan *plan, unsigned n, uint64_t number, uint64_t *code)
{
    *code = 0;
    for (unsigned i = 0; i < n; i++)
        for (unsigned m = 0; m < plan->layers; m++) {
            *code |= number % (unsigned)plan->q
                     << (i * plan->coordinate_bits + m * plan->digit_bits);
            number /= (unsigned)plan->q;
        }
    return number == 0;
}

/* Each code stands for a point of its own, which encodes to it. */
static void every_code_is_that_of_its_point(void **state)
{
    static const struct shape shapes[] = {
        {KG_LATTICE_Z2, 2, 1}, {KG_LATTICE_Z2, 2, 8},  {KG_LATTICE_Z2, 3, 5},
        {KG_LATTICE_Z2, 6, 3}, {KG_LATTICE_Z2, 37, 2}, {KG_LATTICE_Z2, 256, 1},
        {KG_LATTICE_D4, 2, 1}, {KG_LATTICE_D4, 2, 3},  {KG_LATTICE_D4, 2, 4},
        {KG_LATTICE_D4, 3, 2}, {KG_LATTICE_D4, 4, 2},  {KG_LATTICE_D4, 5, 1},
        {KG_LATTICE_D4, 6, 2}, {KG_LATTICE_D4, 7, 1},  {KG_LATTICE_D4, 16, 1},
        {KG_LATTICE_E8, 2, 1}, {KG_LATTICE_E8, 2, 2},  {KG_LATTICE_E8, 3, 1},
        {KG_LATTICE_E8, 4, 1}, {KG_LATTICE_E8, 5, 1}};
    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        const enum kg_lattice_kind kind = shapes[s].kind;
        const unsigned n = kg_lattice_dimensions(kind);
        struct kg_lattice_plan plan;
        uint64_t code;
        assert_true(kg_lattice_plan_make(&plan, kind, shapes[s].q, shapes[s].layers, 1, 2));
        const uint64_t step = LATTICE_LESS > 1 ? 97 : 1;
        for (uint64_t number = 0; code_at(&plan, n, number, &code); number += step) {
            float x[MOST];
            struct kg_lattice_code found;
            kg_lattice_decode_one(kind, &plan, kg_lattice_code_split(kind, &plan, code), 0, x);
            if (!in_lattice(kind, x))
                fail_at("a code stands for no lattice point", kind, x, code);
            if (kg_lattice_encode_one(kind, &plan, x, &found) != 0 ||
                kg_lattice_code_join(kind, &plan, found) != code)
                fail_at("a point of the code book has another code", kind, x, code);
        }
    }
}

/* Any q and M that a lattice can have. */
static void plan_at_random(struct kg_random *random, enum kg_lattice_kind kind, double beta,
                           double alpha, struct kg_lattice_plan *plan)
{
    unsigned q, layers;
    do {
        q = 2 + (unsigned)kg_random_below(random, kg_random_below(random, 2) ? 255 : 7);
        layers = 1 + (unsigned)kg_random_below(random, 16);
    } while (!kg_lattice_plan_make(plan, kind, q, layers, beta, alpha));
}

/* decode(encode(x)) = Q(x / s) s with s = beta alpha^t, within the covering radius; by the
 * header's functions, the fused one and the reference's. */
static void vector_round_trip(enum kg_lattice_kind kind, const struct kg_lattice_plan *plan,
                              const float *x)
{
    const unsigned n = kg_lattice_dimensions(kind);
    struct kg_lattice_code code;
    uint64_t expected;
    float y[MOST], point[MOST], decoded[MOST], fused[MOST], textbook[MOST];
    const unsigned t = kg_lattice_encode_one(kind, plan, x, &code);
    const uint64_t joined = kg_lattice_code_join(kind, plan, code);
    const struct kg_lattice_code split = kg_lattice_code_split(kind, plan, joined);
    if (split.low != code.low || split.high != code.high)
        fail_at("a packed code is another", kind, x, SEED);
    if (kg_lattice_reference_encode(kind, plan, x, &expected) != t || expected != joined)
        fail_at("the reference's code is another", kind, x, SEED);
    kg_lattice_decode_one(kind, plan, code, t, decoded);
    kg_lattice_quantize_from(kind, plan, 0, x, fused);
    kg_lattice_reference_decode(kind, plan, joined, t, textbook);
    for (unsigned i = 0; i < n; i++)
        y[i] = kg_lattice_scaled(x[i], plan->inverse_scale[t], plan->limit[t]);
    kg_lattice_nearest_real(kind, y, point);
    double squares = 0;
    for (unsigned i = 0; i < n; i++) {
        if (decoded[i] != point[i] * plan->scale[t])
            fail_at("decoding does not undo encoding", kind, x, SEED);
        if (decoded[i] != fused[i] || decoded[i] != textbook[i])
            fail_at("the fused or the reference's result is another", kind, x, SEED);
        squares += ((double)y[i] - (double)point[i]) * ((double)y[i] - (double)point[i]);
    }
    if (squares > (kind == KG_LATTICE_Z2 ? 0.5 : 1) + 0x1p-20)
        fail_at("farther than the covering radius", kind, x, SEED);
}

static void decoding_undoes_encoding(void **state)
{
    static const size_t counts[] = {1200000, 1200000, 300000};
    struct kg_random random = {SEED};
    (void)state;
    print_message("seed %d\n", SEED);
    for (unsigned kind = 0; kind < KG_LATTICE_KINDS; kind++) {
        struct kg_lattice_plan plan;
        for (size_t k = 0; k < counts[kind] / LATTICE_LESS; k++) {
            float x[MOST];
            if (k % 100 == 0)
                plan_at_random(&random, kind, 0.25, k % 300 ? 2 : 1.3, &plan);
            lattice_vector(&random, kg_lattice_dimensions(kind), 0.25F, x);
            vector_round_trip(kind, &plan, x);
        }
    }
}

static void what_is_beyond_all_counts_is_clipped_and_not_a_number_is_the_largest(void **state)
{
    static const struct shape shapes[] = {
        {KG_LATTICE_Z2, 4, 2}, {KG_LATTICE_D4, 4, 2}, {KG_LATTICE_E8, 4, 2}};
    (void)state;
    for (size_t s = 0; s < 3; s++) {
        const unsigned n = kg_lattice_dimensions(shapes[s].kind);
        struct kg_lattice_plan plan;
        struct kg_lattice_code code;
        assert_true(kg_lattice_plan_make(&plan, shapes[s].kind, 4, 2, 1, 2));
        assert_true(plan.limit[15] > 2);
        float x[MOST], nothing[MOST], lost[MOST];
        for (unsigned i = 0; i < n; i++) {
            x[i] = i == n - 1 ? (float)NAN : i % 2 ? -INFINITY : 1e30F;
            nothing[i] = NAN;
        }
        assert_int_equal(kg_lattice_encode_one(shapes[s].kind, &plan, x, &code), 15);
        kg_lattice_decode_one(shapes[s].kind, &plan, code, 15, x);
        kg_lattice_quantize_from(shapes[s].kind, &plan, 0, nothing, lost);
        for (unsigned i = 0; i < n; i++) {
            const float size = i % 2 && i < n - 1 ? -x[i] : x[i];
            assert_true(size >= 32768 && size < 32768.0F * 16);
            assert_true(lost[i] >= 32768 && lost[i] < 32768.0F * 16);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_points_are_those_of_a_search),
        cmocka_unit_test(no_point_farther_away_is_nearer),
        cmocka_unit_test(generators_and_their_inverses_agree),
        cmocka_unit_test(layers_commute_with_translations),
        cmocka_unit_test(every_code_is_that_of_its_point),
        cmocka_unit_test(decoding_undoes_encoding),
        cmocka_unit_test(what_is_beyond_all_counts_is_clipped_and_not_a_number_is_the_largest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
