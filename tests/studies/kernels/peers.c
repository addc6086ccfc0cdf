/* A user's alternatives to the kernels, as a plugin: the C library, OpenBLAS, and hand-written
 * loops with compiler options (-O3 -march=native -ffast-math). One run measures the kernels beside
 * them. All threads of a case share the work, each a contiguous part. OpenBLAS's functions use
 * their own number of threads. */
#include <cblas.h>
#include <math.h>
#include <omp.h>
#include <string.h>

#include "kgate/plugin.h"

#ifdef __SSE__
#include <xmmintrin.h>
#endif

struct peer {
    float *a; /* rows by cols */
    float *b;
    float *c; /* the result, of the same shape */
    size_t rows;
    size_t cols;
    size_t n; /* rows * cols */
    int threads;
    float sum;
    void (*run)(struct peer *peer);
};

struct part {
    size_t begin;
    size_t end;
};

/* This thread's share of n, in whole cache lines of floats. */
static struct part share(size_t n)
{
    const size_t threads = (size_t)omp_get_num_threads(), at = (size_t)omp_get_thread_num();
    const size_t lines = (n + 15) / 16;
    struct part part = {at * lines / threads * 16, (at + 1) * lines / threads * 16};
    part.end = part.end < n ? part.end : n;
    return part;
}

static void copy_memcpy(struct peer *peer)
{
#pragma omp parallel num_threads(peer->threads)
    {
        const struct part part = share(peer->n);
        memcpy(peer->c + part.begin, peer->a + part.begin, (part.end - part.begin) * sizeof(float));
    }
}

static void copy_loop(struct peer *peer)
{
    const float *restrict a = peer->a;
    float *restrict c = peer->c;
#pragma omp parallel for simd num_threads(peer->threads) schedule(static)
    for (size_t i = 0; i < peer->n; i++)
        c[i] = a[i];
}

static void triad_loop(struct peer *peer)
{
    const float *restrict a = peer->a, *restrict b = peer->b;
    float *restrict c = peer->c;
#pragma omp parallel for simd num_threads(peer->threads) schedule(static)
    for (size_t i = 0; i < peer->n; i++)
        c[i] = a[i] + 3.0F * b[i];
}

/* Past the caches, four floats at once; without such stores the ordinary loops. */
#ifdef __SSE__
static void copy_stream(struct peer *peer)
{
#pragma omp parallel num_threads(peer->threads)
    {
        const struct part part = share(peer->n);
        for (size_t i = part.begin; i < part.end; i += 4)
            _mm_stream_ps(peer->c + i, _mm_load_ps(peer->a + i));
        _mm_sfence();
    }
}

static void triad_stream(struct peer *peer)
{
    const __m128 scale = _mm_set1_ps(3.0F);
#pragma omp parallel num_threads(peer->threads)
    {
        const struct part part = share(peer->n);
        for (size_t i = part.begin; i < part.end; i += 4)
            _mm_stream_ps(peer->c + i, _mm_add_ps(_mm_load_ps(peer->a + i),
                                                  _mm_mul_ps(scale, _mm_load_ps(peer->b + i))));
        _mm_sfence();
    }
}
#else
#define copy_stream copy_loop
#define triad_stream triad_loop
#endif

static void read_loop(struct peer *peer)
{
    const float *restrict a = peer->a;
    float sum = 0;
#pragma omp parallel for simd num_threads(peer->threads) schedule(static) reduction(+ : sum)
    for (size_t i = 0; i < peer->n; i++)
        sum += a[i];
    peer->sum = sum;
}

/* All numbers are positive here, so the sum equals the sum of absolute values. */
static void read_sasum(struct peer *peer)
{
    peer->sum = cblas_sasum((blasint)peer->n, peer->a, 1);
}

static void transpose_somatcopy(struct peer *peer)
{
    cblas_somatcopy(CblasRowMajor, CblasTrans, (blasint)peer->rows, (blasint)peer->cols, 1.0F,
                    peer->a, (blasint)peer->cols, peer->c, (blasint)peer->rows);
}

static void row_softmax(const float *restrict x, float *restrict y, size_t n)
{
    float largest = x[0], sum = 0;
    for (size_t j = 1; j < n; j++)
        largest = x[j] > largest ? x[j] : largest;
    for (size_t j = 0; j < n; j++) {
        y[j] = expf(x[j] - largest);
        sum += y[j];
    }
    for (size_t j = 0; j < n; j++)
        y[j] /= sum;
}

static void softmax_loop(struct peer *peer)
{
#pragma omp parallel for num_threads(peer->threads) schedule(static)
    for (size_t i = 0; i < peer->rows; i++)
        row_softmax(peer->a + i * peer->cols, peer->c + i * peer->cols, peer->cols);
}

/* gamma and beta are the first row of b. */
static void row_layernorm(const float *restrict x, float *restrict y, const float *restrict weight,
                          size_t n)
{
    float sum = 0, squares = 0;
    for (size_t j = 0; j < n; j++)
        sum += x[j];
    const float mean = sum / (float)n;
    for (size_t j = 0; j < n; j++)
        squares += (x[j] - mean) * (x[j] - mean);
    const float scale = 1.0F / sqrtf(squares / (float)n + 1e-5F);
    for (size_t j = 0; j < n; j++)
        y[j] = weight[j] * (x[j] - mean) * scale + weight[n + j];
}

static void layernorm_loop(struct peer *peer)
{
#pragma omp parallel for num_threads(peer->threads) schedule(static)
    for (size_t i = 0; i < peer->rows; i++)
        row_layernorm(peer->a + i * peer->cols, peer->c + i * peer->cols, peer->b, peer->cols);
}

/* --- Expected values, element by element ------------------------------------------------------ */

static double copy_value(const struct peer *peer, size_t i)
{
    return (double)peer->a[i];
}

static double triad_value(const struct peer *peer, size_t i)
{
    return (double)peer->a[i] + 3 * (double)peer->b[i];
}

static double transpose_value(const struct peer *peer, size_t i)
{
    return (double)peer->a[i % peer->rows * peer->cols + i / peer->rows];
}

static double softmax_value(const struct peer *peer, size_t i)
{
    const float *x = peer->a + i / peer->cols * peer->cols;
    double sum = 0;
    for (size_t j = 0; j < peer->cols; j++)
        sum += exp((double)x[j]);
    return exp((double)peer->a[i]) / sum;
}

static double layernorm_value(const struct peer *peer, size_t i)
{
    const size_t cols = peer->cols, at = i % cols;
    const float *x = peer->a + i / cols * cols;
    double sum = 0, squares = 0;
    for (size_t j = 0; j < cols; j++)
        sum += (double)x[j];
    const double mean = sum / (double)cols;
    for (size_t j = 0; j < cols; j++)
        squares += pow((double)x[j] - mean, 2);
    const double scale = 1 / sqrt(squares / (double)cols + 1e-5);
    return (double)peer->b[at] * ((double)x[at] - mean) * scale + (double)peer->b[cols + at];
}

/* --- The workload ----------------------------------------------------------------------------- */

enum { ROWS, COLS, WHAT };

static const struct what {
    void (*run)(struct peer *peer);
    double (*value)(const struct peer *peer, size_t i); /* NULL: the sum of a */
    unsigned arrays;                                    /* read or written as a whole */
} whats[] = {
    {copy_memcpy, copy_value, 2},
    {copy_loop, copy_value, 2},
    {copy_stream, copy_value, 2},
    {triad_loop, triad_value, 3},
    {triad_stream, triad_value, 3},
    {read_loop, NULL, 1},
    {read_sasum, NULL, 1},
    {transpose_somatcopy, transpose_value, 2},
    {softmax_loop, softmax_value, 2},
    {layernorm_loop, layernorm_value, 2},
};
static const char *const names[] = {
    "copy_memcpy",  "copy_loop",      "copy_stream", "triad_loop",
    "triad_stream", "read_loop",      "read_sasum",  "transpose_somatcopy",
    "softmax_loop", "layernorm_loop", NULL};

static const struct kgate_param params[] = {
    {.name = "rows",
     .type = KGATE_PARAM_INTEGER,
     .default_text = "1024",
     .minimum = 2,
     .maximum = 65536,
     .help = "rows of the matrix"},
    {.name = "cols",
     .type = KGATE_PARAM_INTEGER,
     .default_text = "1024",
     .minimum = 16,
     .maximum = 65536,
     .help = "columns of the matrix"},
    {.name = "what",
     .type = KGATE_PARAM_CHOICE,
     .default_text = "copy_memcpy",
     .choices = names,
     .help = "what is called"},
};

static bool describe(struct kgate_context *context, struct kgate_work *work)
{
    const double n = (double)context->values[ROWS].integer * (double)context->values[COLS].integer;
    const double arrays = whats[context->values[WHAT].integer].arrays;
    *work = (struct kgate_work){.items = n, .bytes = arrays * n * sizeof(float)};
    return true;
}

static void tear_down(struct kgate_context *context, void *state)
{
    struct peer *peer = state;
    if (!peer)
        return;
    context->release(context, peer->a);
    context->release(context, peer->b);
    context->release(context, peer->c);
    context->release(context, peer);
}

/* Positive numbers without a pattern, below 1. */
static void fill(struct peer *peer)
{
#pragma omp parallel for num_threads(peer->threads) schedule(static)
    for (size_t i = 0; i < peer->n; i++) {
        peer->a[i] = (float)((uint32_t)i * 2654435761U >> 8) * 0x1p-24F;
        peer->b[i] = 1 - peer->a[i];
        peer->c[i] = -1;
    }
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct peer *peer = context->allocate(context, sizeof *peer);
    if (!peer)
        return false;
    peer->rows = (size_t)context->values[ROWS].integer;
    peer->cols = (size_t)context->values[COLS].integer;
    peer->n = peer->rows * peer->cols;
    peer->threads = (int)context->threads;
    peer->run = whats[context->values[WHAT].integer].run;
    peer->a = context->allocate(context, peer->n * sizeof(float));
    peer->b = context->allocate(context, peer->n * sizeof(float));
    peer->c = context->allocate(context, peer->n * sizeof(float));
    if (!peer->a || !peer->b || !peer->c) {
        tear_down(context, peer);
        return false;
    }
    openblas_set_num_threads(peer->threads);
    fill(peer);
    *state = peer;
    return true;
}

static void run(void *state)
{
    struct peer *peer = state;
    peer->run(peer);
}

static double sum_error(const struct peer *peer)
{
    double sum = 0;
    for (size_t i = 0; i < peer->n; i++)
        sum += (double)peer->a[i];
    return fabs((double)peer->sum - sum) / sum;
}

/* Some elements from everywhere: a peer that does no work must not count as fast. */
static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    const struct peer *peer = state;
    const struct what *what = &whats[context->values[WHAT].integer];
    const size_t step = peer->n < 4096 ? 1 : peer->n / 4096 + 1;
    *check = (struct kgate_check){.error = what->value ? 0 : sum_error(peer), .tolerance = 1e-3};
    for (size_t i = 0; what->value && i < peer->n; i += step) {
        const double value = what->value(peer, i);
        const double error = fabs((double)peer->c[i] - value) / (fabs(value) + 1e-3);
        check->error = error > check->error ? error : check->error;
    }
    return true;
}

const struct kgate_plugin *kgate_plugin_workloads(void);
const struct kgate_plugin *kgate_plugin_workloads(void)
{
    static const struct kgate_workload peer = {
        .name = "peer",
        .summary = "What a user would otherwise call.",
        .params = params,
        .param_count = sizeof params / sizeof *params,
        .devices = 1U << KGATE_DEVICE_CPU,
        .revision = 1,
        .describe = describe,
        .set_up = set_up,
        .run = run,
        .check = check,
        .tear_down = tear_down,
    };
    static const struct kgate_workload *const workloads[] = {&peer};
    static const struct kgate_plugin plugin = {KGATE_PLUGIN_ABI, workloads, 1};
    return &plugin;
}
