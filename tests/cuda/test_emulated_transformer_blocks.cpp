/* The blocks of transformer's CUDA versions on the emulator, each against loops in double
 * precision, on shapes on both sides of every change of path. */
#include <cmath>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <memory>
#include <vector>

#include "cuda/cmocka_cpp.h"
#include "cuda/emulated.h"
#include "cuda/emulator.h"

#include "transformer/blocks.h"
#include "base/random.h"

typedef std::vector<float> floats;

static const struct {
    const char *name;
    const struct kg_blocks *blocks;
} versions[] = {{"plain", &kg_blocks_plain}, {"fast", &kg_blocks_fast}};

static constexpr double u = 0x1p-24;
static constexpr float nan_float = std::numeric_limits<float>::quiet_NaN();
static constexpr double norm_epsilon = 1e-5;

/* --- What the tests share --------------------------------------------------------------------- */
static floats random_floats(struct kg_random *random, size_t n)
{
    floats x(n);
    for (float &value : x)
        value = (float)kg_random_between(random, -1, 1);
    return x;
}

static std::vector<uint8_t> random_tokens(struct kg_random *random, size_t n, size_t below)
{
    std::vector<uint8_t> tokens(n);
    for (uint8_t &token : tokens)
        token = (uint8_t)kg_random_below(random, below);
    return tokens;
}

static size_t from_to(struct kg_random *random, size_t least, size_t most)
{
    return least + kg_random_below(random, most - least + 1);
}

/* Scratch full of NaN; the counters have to be 0 again in the end. */
struct scratch {
    floats parts;
    std::vector<unsigned> arrived;
    struct kg_blocks_space space;

    explicit scratch(uint64_t seed)
        : parts(KG_BLOCKS_PART_FLOATS, nan_float), arrived(KG_BLOCKS_WANTED, 0)
    {
        kg_emulated_seed(seed);
        space = {kg_emulated_stream(), parts.data(), arrived.data()};
    }
    ~scratch()
    {
        for (unsigned count : arrived)
            assert_int_equal(count, 0);
        assert_int_equal(cudaGetLastError(), cudaSuccess);
    }
};

/* Fails where `value` is further from `expected` than `most`, or not a number. */
static void close_to(double value, double expected, double most, const char *what, size_t at)
{
    if (!(std::fabs(value - expected) <= most))
        fail_msg("%s: element %zu is %.9g, not %.9g within %.3g", what, at, value, expected, most);
}

static double gelu(double x)
{
    return x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

static double gelu_slope(double x)
{
    const double t = std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x));
    return (1 + t) / 2 + x / 2 * (1 - t * t) * std::sqrt(2 / M_PI) * (1 + 3 * 0.044715 * x * x);
}

/* --- Products
 * ------------------------------------------------------------------------------------ */
enum extras { BIAS = 1, RESIDUAL = 2, SLOPE = 4, GELU = 8, SUMS = 16 };

struct shape {
    unsigned m;
    unsigned n;
    unsigned k;
    unsigned outer;
    unsigned inner;
    enum kg_triangle triangle;
    int extras;
};

/* A product with its memory. What lies between the rows is NaN: not to be read. */
struct trial {
    struct shape shape;
    struct kg_product p;
    floats a, b, c, bias, residual, slope_of, gelu, sums;

    trial(struct kg_random *random, struct shape of) : shape(of), p{}
    {
        /* All sizes multiples of 4, as the wide path wants them, or none. */
        const bool wide = (of.m | of.n | of.k) % 4 == 0;
        p.m = of.m, p.n = of.n, p.k = of.k, p.outer = of.outer, p.inner = of.inner;
        p.triangle = of.triangle;
        p.scale = of.extras & SUMS ? 1 : (float)kg_random_between(random, 0.5, 2);
        factor_make(random, of, of.m, wide, &p.a, &a);
        factor_make(random, of, of.n, wide, &p.b, &b);
        for (unsigned batch = 0; batch < of.outer * of.inner; batch++)
            for (unsigned i = 0; i < of.m; i++)
                for (unsigned l = 0; l < of.k; l++)
                    if ((of.triangle == KG_TRIANGLE_LOWER_A && l > i) ||
                        (of.triangle == KG_TRIANGLE_UPPER_A && l < i))
                        a[factor_at(p.a, batch, i, l)] = 0;
        p.c_stride = of.n + (wide ? 4 : 1) * (unsigned)kg_random_below(random, 3);
        p.c_inner = (size_t)p.c_stride * of.m + (wide ? 8 : 3);
        p.c_outer = p.c_inner * of.inner;
        const size_t c_floats = p.c_outer * of.outer;
        c.assign(c_floats, nan_float);
        p.c = c.data();
        bias = random_floats(random, of.n);
        residual = random_floats(random, c_floats);
        slope_of = random_floats(random, c_floats);
        gelu.assign(c_floats, nan_float);
        sums.assign(of.n, nan_float);
        p.bias = of.extras & BIAS ? bias.data() : nullptr;
        p.residual = of.extras & RESIDUAL ? residual.data() : nullptr;
        p.slope_of = of.extras & SLOPE ? slope_of.data() : nullptr;
        p.gelu = of.extras & GELU ? gelu.data() : nullptr;
        p.sums = of.extras & SUMS ? sums.data() : nullptr;
    }
    trial(const trial &) = delete;

    static void factor_make(struct kg_random *random, const struct shape &of, unsigned lines,
                            bool wide, struct kg_factor *factor, floats *x);

    static size_t factor_at(const struct kg_factor &factor, size_t batch, size_t line, size_t l)
    {
        return batch * factor.inner +
               (factor.depth_first ? line * factor.stride + l : l * factor.stride + line);
    }

    double element(unsigned batch, unsigned i, unsigned j, double *size) const
    {
        double sum = 0;
        *size = 0;
        for (unsigned l = 0; l < p.k; l++) {
            const double term = (double)a[factor_at(p.a, batch, i, l)] *
                                (double)b[factor_at(p.b, batch, j, l)] * (double)p.scale;
            sum += term;
            *size += std::fabs(term);
        }
        return sum;
    }

    /* Of large products some elements, evenly. */
    void check(const char *what) const
    {
        const size_t all = (size_t)p.m * p.n * p.outer * p.inner, some = 1 + all / 100003;
        for (size_t at = 0; at < all; at += some) {
            const unsigned i = (unsigned)(at / p.n % p.m), j = (unsigned)(at % p.n);
            if (p.triangle != KG_TRIANGLE_LOWER_C || j <= i)
                check_element(what, (unsigned)(at / p.n / p.m), i, j);
        }
        for (unsigned j = 0; p.sums && j < p.n; j++) {
            double sum = 0, size = 0;
            for (unsigned l = 0; l < p.k; l++) {
                const double term = (double)b[factor_at(p.b, 0, j, l)];
                sum += term;
                size += std::fabs(term);
            }
            close_to((double)sums[j], sum, p.k * u * size, what, j);
        }
    }

    void check_element(const char *what, unsigned batch, unsigned i, unsigned j) const
    {
        const size_t at = batch * p.c_inner + (size_t)i * p.c_stride + j;
        double size, value = element(batch, i, j, &size);
        if (p.bias)
            value += (double)bias[j], size += std::fabs((double)bias[j]);
        if (p.residual)
            value += (double)residual[at], size += std::fabs((double)residual[at]);
        const double slope = p.slope_of ? gelu_slope((double)slope_of[at]) : 1;
        const double most = (p.k + 12) * u * size;
        close_to((double)c[at], value * slope, most * 1.2, what, at);
        if (p.gelu)
            close_to((double)gelu[at], ::gelu((double)c[at]), 8 * u * std::fabs((double)c[at]),
                     what, at);
    }
};

/* One matrix for each batch, with a gap behind it. */
void trial::factor_make(struct kg_random *random, const struct shape &of, unsigned lines, bool wide,
                        struct kg_factor *factor, floats *x)
{
    const unsigned step = wide ? 4 : 1;
    factor->depth_first = kg_random_below(random, 2) == 0;
    const unsigned rows = factor->depth_first ? lines : of.k;
    const unsigned columns = factor->depth_first ? of.k : lines;
    factor->stride = columns + step * (unsigned)kg_random_below(random, 3);
    factor->inner = (size_t)factor->stride * rows + step;
    factor->outer = factor->inner * of.inner;
    *x = floats(factor->outer * of.outer, nan_float);
    for (unsigned batch = 0; batch < of.outer * of.inner; batch++)
        for (unsigned line = 0; line < lines; line++)
            for (unsigned l = 0; l < of.k; l++)
                (*x)[factor_at(*factor, batch, line, l)] = (float)kg_random_between(random, -1, 1);
    factor->x = x->data();
}

/* One or two products by a version. */
static void products_agree(const char *name, const struct kg_blocks *blocks, uint64_t seed,
                           std::initializer_list<struct shape> shapes)
{
    struct kg_random random = {seed};
    struct scratch scratch(seed);
    std::vector<std::unique_ptr<struct trial>> trials;
    std::vector<struct kg_product> products;
    char what[160];
    for (const struct shape &of : shapes) {
        trials.push_back(std::make_unique<struct trial>(&random, of));
        products.push_back(trials.back()->p);
    }
    blocks->products(&scratch.space, products.data(), products.size());
    for (const auto &one : trials) {
        const struct shape &of = one->shape;
        snprintf(what, sizeof what,
                 "%s, seed %llu, %u by %u by %u, %u batches, triangle %d, extras %d", name,
                 (unsigned long long)seed, of.m, of.n, of.k, of.outer * of.inner, (int)of.triangle,
                 of.extras);
        one->check(what);
    }
}

static void products_agree(uint64_t seed, std::initializer_list<struct shape> shapes)
{
    for (const auto &version : versions)
        products_agree(version.name, version.blocks, seed, shapes);
}

static void products_of_all_shapes(void **)
{
    static const int extras[] = {0, BIAS, BIAS | RESIDUAL, SLOPE, BIAS | GELU, SUMS};
    for (size_t i = 0; i < 60; i++) {
        struct kg_random random = {emulated_seed(i)};
        const unsigned by = i % 2 ? 4 : 1, most = 100 / by;
        const auto extent = [&] { return by * (unsigned)from_to(&random, 1, most); };
        const struct shape one = {extent(),
                                  extent(),
                                  extent(),
                                  1,
                                  1,
                                  KG_TRIANGLE_NONE,
                                  extras[kg_random_below(&random, 6)]};
        const struct shape two = {extent(),
                                  extent(),
                                  extent(),
                                  1,
                                  1,
                                  KG_TRIANGLE_NONE,
                                  extras[kg_random_below(&random, 6)]};
        if (i % 3)
            products_agree(random.state, {one});
        else
            products_agree(random.state, {one, two});
    }
}

static void products_in_batches_of_triangles(void **)
{
    static const enum kg_triangle triangles[] = {KG_TRIANGLE_NONE, KG_TRIANGLE_LOWER_C,
                                                 KG_TRIANGLE_LOWER_A, KG_TRIANGLE_UPPER_A};
    for (size_t i = 0; i < 40; i++) {
        struct kg_random random = {emulated_seed(i)};
        const enum kg_triangle triangle = triangles[i % 4];
        const unsigned by = i % 8 < 4 ? 4 : 1;
        const unsigned length = by * (unsigned)from_to(&random, 1, 150 / by);
        const unsigned width = by * (unsigned)from_to(&random, 1, 36 / by);
        const bool square = triangle == KG_TRIANGLE_LOWER_C;
        const struct shape of = {length,
                                 square ? length : width,
                                 square ? width : length,
                                 (unsigned)from_to(&random, 1, 2),
                                 (unsigned)from_to(&random, 1, 3),
                                 triangle,
                                 0};
        products_agree(random.state, {of});
    }
}

/* Few tiles and much depth: parts, which the last block adds up; beside one that has none. */
static void products_whose_depth_is_cut(void **)
{
    const uint64_t seed = emulated_seed(0);
    const int all = SUMS | RESIDUAL;
    products_agree(seed, {{70, 50, 1000, 1, 1, KG_TRIANGLE_NONE, all}});
    products_agree(seed + 1, {{64, 128, 512, 1, 1, KG_TRIANGLE_NONE, SUMS}});
    products_agree(seed + 2, {{4, 4, 4096, 1, 1, KG_TRIANGLE_NONE, BIAS | GELU}});
    products_agree(seed + 3, {{128, 64, 72, 1, 1, KG_TRIANGLE_NONE, SLOPE},
                              {64, 72, 600, 1, 1, KG_TRIANGLE_NONE, SUMS}});
    products_agree(seed + 4, {{33, 65, 777, 1, 1, KG_TRIANGLE_NONE, SUMS},
                              {65, 33, 555, 1, 1, KG_TRIANGLE_NONE, SUMS | RESIDUAL}});
    products_agree(seed + 5, {{20, 20, 300, 2, 3, KG_TRIANGLE_NONE, 0}});
}

/* Many enough for tiles of 128, which only the fast version has. */
static void products_of_many_tiles(void **)
{
    const uint64_t seed = emulated_seed(0);
    for (const struct shape &shape : {shape{132, 136, 20, 16, 4, KG_TRIANGLE_NONE, 0},
                                      shape{129, 131, 17, 16, 4, KG_TRIANGLE_NONE, 0},
                                      shape{1925, 2050, 3, 1, 1, KG_TRIANGLE_NONE, BIAS | GELU}})
        products_agree("fast", &kg_blocks_fast, seed, {shape});
}

/* --- Layernorm
 * ----------------------------------------------------------------------------------- */
struct row_norm {
    double mean;
    double scale;
};

static struct row_norm row_norm_of(const float *x, size_t cols)
{
    double mean = 0, squares = 0;
    for (size_t j = 0; j < cols; j++)
        mean += (double)x[j] / (double)cols;
    for (size_t j = 0; j < cols; j++)
        squares += ((double)x[j] - mean) * ((double)x[j] - mean) / (double)cols;
    return {mean, 1 / std::sqrt(squares + norm_epsilon)};
}

static void norms_agree(uint64_t seed, size_t rows, size_t cols, bool add)
{
    struct kg_random random = {seed};
    const floats x = random_floats(&random, rows * cols), dy = random_floats(&random, rows * cols);
    const floats gamma = random_floats(&random, cols), beta = random_floats(&random, cols);
    const floats before = random_floats(&random, rows * cols);
    std::vector<double> y(rows * cols), dx(rows * cols), dgamma(cols), dbeta(cols), size(cols);
    double most_scale = 1;
    for (size_t i = 0; i < rows; i++) {
        const struct row_norm of = row_norm_of(&x[i * cols], cols);
        double sum = 0, product = 0;
        most_scale = std::fmax(most_scale, of.scale);
        const auto normal = [&](size_t j) {
            return ((double)x[i * cols + j] - of.mean) * of.scale;
        };
        for (size_t j = 0; j < cols; j++) {
            const double d = (double)dy[i * cols + j];
            sum += (double)gamma[j] * d / (double)cols;
            product += (double)gamma[j] * d * normal(j) / (double)cols;
            dgamma[j] += d * normal(j);
            dbeta[j] += d;
            size[j] += std::fabs(d) * (1 + std::fabs(normal(j)));
            y[i * cols + j] = (double)gamma[j] * normal(j) + (double)beta[j];
        }
        for (size_t j = 0; j < cols; j++)
            dx[i * cols + j] = (add ? (double)before[i * cols + j] : 0) +
                               of.scale * ((double)gamma[j] * (double)dy[i * cols + j] - sum -
                                           normal(j) * product);
    }
    /* A row of a few close numbers has a large scale, and loses as many digits. */
    const double most = (double)(cols + 32) * u * most_scale * most_scale;
    for (const auto &version : versions) {
        struct scratch scratch(seed);
        floats out(rows * cols, nan_float),
            gradient = add ? before : floats(rows * cols, nan_float);
        floats to_gamma(cols, nan_float), to_beta(cols, nan_float);
        floats mean(rows, nan_float), scale(rows, nan_float);
        const struct kg_norm norm = {x.data(), gamma.data(), beta.data(), out.data(), rows, cols};
        const struct kg_norm_backward backward = {x.data(),
                                                  gamma.data(),
                                                  dy.data(),
                                                  gradient.data(),
                                                  add,
                                                  to_gamma.data(),
                                                  to_beta.data(),
                                                  mean.data(),
                                                  scale.data(),
                                                  rows,
                                                  cols};
        version.blocks->norm(&scratch.space, &norm);
        version.blocks->norm_backward(&scratch.space, &backward);
        char what[128];
        snprintf(what, sizeof what, "%s, norm of %zu by %zu, seed %llu", version.name, rows, cols,
                 (unsigned long long)seed);
        for (size_t i = 0; i < rows * cols; i++) {
            close_to((double)out[i], y[i], most, what, i);
            close_to((double)gradient[i], dx[i], most, what, i);
        }
        for (size_t j = 0; j < cols; j++) {
            close_to((double)to_gamma[j], dgamma[j], ((double)rows * u + most) * size[j], what, j);
            close_to((double)to_beta[j], dbeta[j], (double)rows * u * size[j], what, j);
        }
    }
}

static void norms_of_all_shapes(void **)
{
    static const size_t shapes[][2] = {{1, 2},    {3, 5},    {17, 32}, {33, 33},
                                       {40, 64},  {19, 128}, {5, 516}, {2, 1030},
                                       {1040, 7}, {129, 20}, {3, 2052}};
    struct kg_random random = {emulated_seed(0)};
    bool add = false;
    for (const size_t *shape : shapes) {
        norms_agree(kg_random_next(&random), shape[0], shape[1], add);
        add = !add;
    }
}

/* --- Causal softmax
 * ------------------------------------------------------------------------------ */
static void causal_agrees(uint64_t seed, size_t matrices, size_t length)
{
    struct kg_random random = {seed};
    const size_t rows = matrices * length, n = rows * length;
    floats scores = random_floats(&random, n), gradients = random_floats(&random, n);
    for (size_t i = 0; i < n; i++)
        scores[i] *= 8;
    for (size_t i = 0; i < n; i++)
        if (i % length > i / length % length)
            scores[i] = gradients[i] = nan_float; /* not to be read */
    for (const auto &version : versions) {
        struct scratch scratch(seed);
        floats p = scores, dp = gradients;
        const struct kg_causal causal = {p.data(), dp.data(), 0.25F, rows, length};
        version.blocks->causal(&scratch.space, &causal);
        version.blocks->causal_backward(&scratch.space, &causal);
        char what[128];
        snprintf(what, sizeof what, "%s, causal of %zu by %zu, seed %llu", version.name, rows,
                 length, (unsigned long long)seed);
        for (size_t row = 0; row < rows; row++) {
            const size_t there = row % length + 1;
            const float *score = &scores[row * length], *d = &gradients[row * length];
            double most = -INFINITY, sum = 0, mixed = 0, size = 0;
            for (size_t j = 0; j < there; j++)
                most = std::fmax(most, (double)score[j]);
            for (size_t j = 0; j < there; j++)
                sum += std::exp((double)score[j] - most);
            for (size_t j = 0; j < there; j++) {
                const double share = std::exp((double)score[j] - most) / sum;
                mixed += share * (double)d[j];
                size += share * std::fabs((double)d[j]);
            }
            for (size_t j = 0; j < length; j++) {
                const size_t at = row * length + j;
                const double share = j < there ? std::exp((double)score[j] - most) / sum : 0;
                const double slope = j < there ? 0.25 * share * ((double)d[j] - mixed) : 0;
                const double bound = (double)(there + 32) * u * share;
                close_to((double)p[at], share, bound, what, at);
                close_to((double)dp[at], slope, 3 * bound * (1 + size), what, at);
            }
        }
    }
}

static void causal_of_all_lengths(void **)
{
    struct kg_random random = {emulated_seed(0)};
    for (size_t length : {1, 2, 3, 4, 7, 8, 31, 32, 33, 64, 65, 100, 127, 128, 130, 257})
        causal_agrees(kg_random_next(&random), 1 + kg_random_below(&random, 3), length);
}

/* --- Embedding
 * ----------------------------------------------------------------------------------- */
static void embedding_agrees(uint64_t seed, size_t batch, size_t length, size_t cols,
                             size_t vocabulary)
{
    struct kg_random random = {seed};
    const size_t rows = batch * length;
    const std::vector<uint8_t> tokens = random_tokens(&random, rows, vocabulary);
    floats vectors = random_floats(&random, vocabulary * cols);
    floats positions = random_floats(&random, length * cols);
    floats dx = random_floats(&random, rows * cols);
    for (const auto &version : versions) {
        struct scratch scratch(seed);
        floats x(rows * cols, nan_float), dvectors = vectors, dpositions(length * cols, nan_float);
        struct kg_embedding embedding = {tokens.data(), vectors.data(), positions.data(),
                                         x.data(),      batch,          length,
                                         cols,          vocabulary};
        version.blocks->embedding(&scratch.space, &embedding);
        embedding.vectors = dvectors.data(), embedding.positions = dpositions.data();
        embedding.x = dx.data();
        version.blocks->embedding_backward(&scratch.space, &embedding);
        char what[128];
        snprintf(what, sizeof what, "%s, embedding of %zu by %zu by %zu, seed %llu", version.name,
                 batch, length, cols, (unsigned long long)seed);
        std::vector<double> to_vectors(vectors.begin(), vectors.end()), to_positions(length * cols);
        for (size_t i = 0; i < rows * cols; i++) {
            const size_t row = i / cols, j = i % cols;
            close_to((double)x[i],
                     (double)vectors[tokens[row] * cols + j] +
                         (double)positions[row % length * cols + j],
                     2 * u, what, i);
            to_vectors[tokens[row] * cols + j] += (double)dx[i];
            to_positions[row % length * cols + j] += (double)dx[i];
        }
        for (size_t i = 0; i < vocabulary * cols; i++)
            close_to((double)dvectors[i], to_vectors[i], (double)(rows * rows) * u, what, i);
        for (size_t i = 0; i < length * cols; i++)
            close_to((double)dpositions[i], to_positions[i], (double)(batch * batch) * u, what, i);
    }
}

static void embeddings_of_all_shapes(void **)
{
    struct kg_random random = {emulated_seed(0)};
    static const size_t shapes[][4] = {{1, 1, 1, 1},  {2, 3, 5, 7},    {4, 17, 64, 20},
                                       {9, 70, 4, 3}, {2, 30, 130, 5}, {1, 8, 516, 2}};
    for (const size_t *shape : shapes)
        embedding_agrees(kg_random_next(&random), shape[0], shape[1], shape[2], shape[3]);
}

/* --- Loss and update
 * ----------------------------------------------------------------------------- */
static void losses_agree(uint64_t seed, size_t rows, size_t cols)
{
    struct kg_random random = {seed};
    const std::vector<uint8_t> targets = random_tokens(&random, rows, cols);
    floats logits = random_floats(&random, rows * cols);
    for (float &logit : logits)
        logit *= 10;
    for (const auto &version : versions) {
        struct scratch scratch(seed);
        floats x = logits, losses(rows, nan_float);
        float loss = nan_float;
        const struct kg_loss block = {x.data(), targets.data(), losses.data(), &loss, rows, cols};
        version.blocks->loss(&scratch.space, &block);
        char what[128];
        snprintf(what, sizeof what, "%s, loss of %zu by %zu, seed %llu", version.name, rows, cols,
                 (unsigned long long)seed);
        double mean = 0;
        for (size_t i = 0; i < rows; i++) {
            double sum = 0;
            for (size_t j = 0; j < cols; j++)
                sum += std::exp((double)logits[i * cols + j]);
            mean += (std::log(sum) - (double)logits[i * cols + targets[i]]) / (double)rows;
            for (size_t j = 0; j < cols; j++) {
                const double p = std::exp((double)logits[i * cols + j]) / sum;
                close_to((double)x[i * cols + j], (p - (j == targets[i] ? 1 : 0)) / (double)rows,
                         (double)(cols + 40) * u * (p + (j == targets[i] ? 1 : 0)) / (double)rows,
                         what, i * cols + j);
            }
        }
        close_to((double)loss, mean, (double)(cols + rows + 40) * u * 20, what, 0);
    }
}

static void losses_of_all_shapes(void **)
{
    struct kg_random random = {emulated_seed(0)};
    static const size_t shapes[][2] = {{1, 1},    {1, 2},    {5, 33},   {16, 128},
                                       {17, 128}, {600, 12}, {90, 256}, {1025, 5}};
    for (const size_t *shape : shapes)
        losses_agree(kg_random_next(&random), shape[0], shape[1]);
}

static void updates_are_the_hosts(void **)
{
    for (size_t n : {1, 3, 4, 5, 2047, 2048, 2050, 5000}) {
        struct kg_random random = {emulated_seed(n)};
        const floats parameters = random_floats(&random, n), gradients = random_floats(&random, n);
        const floats first = random_floats(&random, n);
        floats second = random_floats(&random, n);
        for (float &value : second)
            value *= value;
        for (const auto &version : versions) {
            struct scratch scratch(n);
            floats p = parameters, m = first, v = second;
            const struct kg_adamw_scales scales = kg_adamw_scales_of(0.01, 3);
            const struct kg_adamw adamw = {p.data(), gradients.data(), m.data(), v.data(), n,
                                           scales};
            version.blocks->adamw(&scratch.space, &adamw);
            for (size_t i = 0; i < n; i++) {
                float m_host = first[i], v_host = second[i];
                const float p_host =
                    kg_adamw_update(scales, parameters[i], gradients[i], &m_host, &v_host);
                close_to((double)p[i], (double)p_host, 4 * u, version.name, i);
                close_to((double)m[i], (double)m_host, 4 * u, version.name, i);
                close_to((double)v[i], (double)v_host, 4 * u, version.name, i);
            }
        }
    }
}

/* --- The order of blocks
 * -------------------------------------------------------------------------- */
/* What `put` leaves in `result`, for blocks and threads in two orders. */
template <typename Put> static void same_in_any_order(uint64_t seed, size_t count, Put put)
{
    floats results[2];
    for (uint64_t order = 0; order < 2; order++) {
        struct scratch scratch(seed + order);
        results[order].assign(count, nan_float);
        put(&scratch.space, results[order].data());
    }
    assert_memory_equal(results[0].data(), results[1].data(), count * sizeof(float));
}

static void results_have_the_same_bits_whatever_the_order_of_blocks(void **)
{
    enum { ROWS = 300, COLS = 60 };
    const uint64_t seed = emulated_seed(0);
    struct kg_random random = {seed};
    const floats x = random_floats(&random, ROWS * COLS), dy = random_floats(&random, ROWS * COLS);
    const std::vector<uint8_t> tokens = random_tokens(&random, ROWS, 10);
    for (const auto &version : versions) {
        same_in_any_order(seed, COLS * COLS + COLS, [&](struct kg_blocks_space *space, float *to) {
            struct kg_product p = {};
            p.a = {x.data(), COLS, false, 0, 0}, p.b = {dy.data(), COLS, false, 0, 0};
            p.c = to, p.c_stride = COLS, p.sums = to + COLS * COLS;
            p.m = p.n = COLS, p.k = ROWS, p.outer = p.inner = 1, p.scale = 1;
            version.blocks->products(space, &p, 1);
        });
        same_in_any_order(seed, ROWS * COLS + 2 * COLS,
                          [&](struct kg_blocks_space *space, float *to) {
                              floats mean(ROWS), scale(ROWS);
                              float *dgamma = to + ROWS * COLS;
                              const struct kg_norm_backward norm = {
                                  x.data(),      dy.data(),   dy.data(),    to,   false, dgamma,
                                  dgamma + COLS, mean.data(), scale.data(), ROWS, COLS};
                              version.blocks->norm_backward(space, &norm);
                          });
        same_in_any_order(seed, ROWS * COLS + 1, [&](struct kg_blocks_space *space, float *to) {
            floats losses(ROWS);
            memcpy(to, x.data(), sizeof(float) * ROWS * COLS);
            const struct kg_loss loss = {to,   tokens.data(), losses.data(), to + ROWS * COLS,
                                         ROWS, COLS};
            version.blocks->loss(space, &loss);
        });
        same_in_any_order(seed, 20 * COLS, [&](struct kg_blocks_space *space, float *to) {
            memset(to, 0, sizeof(float) * 10 * COLS);
            const struct kg_embedding embedding = {
                tokens.data(), to, to + 10 * COLS, const_cast<float *>(x.data()),
                ROWS / 10,     10, COLS,           10};
            version.blocks->embedding_backward(space, &embedding);
        });
    }
}

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_of_all_shapes),
        cmocka_unit_test(products_in_batches_of_triangles),
        cmocka_unit_test(products_whose_depth_is_cut),
        cmocka_unit_test(products_of_many_tiles),
        cmocka_unit_test(norms_of_all_shapes),
        cmocka_unit_test(causal_of_all_lengths),
        cmocka_unit_test(embeddings_of_all_shapes),
        cmocka_unit_test(losses_of_all_shapes),
        cmocka_unit_test(updates_are_the_hosts),
        cmocka_unit_test(results_have_the_same_bits_whatever_the_order_of_blocks),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
