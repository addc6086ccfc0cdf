/* The reference: plain's passes in double, with products by OpenBLAS, or checks would take longer
 * than measurements. A test compares these derivatives with finite differences. */
#include <cblas.h>
#include <math.h>

#include "transformer/passes.h"

static void multiply(size_t m, size_t n, size_t k, const double *a, const double *b, double *c)
{
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (blasint)m, (blasint)n, (blasint)k, 1, a,
                (blasint)k, b, (blasint)n, 1, c, (blasint)n);
}

static void multiply_transposed(size_t m, size_t n, size_t k, const double *a, const double *b,
                                double *c)
{
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (blasint)m, (blasint)n, (blasint)k, 1, a,
                (blasint)k, b, (blasint)k, 1, c, (blasint)n);
}

static void transposed_multiply(size_t m, size_t n, size_t k, const double *a, const double *b,
                                double *c)
{
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (blasint)m, (blasint)n, (blasint)k, 1, a,
                (blasint)m, b, (blasint)n, 1, c, (blasint)n);
}

#define REAL double
#define SLICE struct kg_reference_slice
#define AT(name) kg_reference_slice_##name
#define PASS(name) kg_reference_##name
#define PASS_LINKAGE
#define SCOPE(name) ((void)0)
#define LAYER_SCOPE(layer) ((void)0)
#define EXP exp
#define LOG log
#define SQRT sqrt
#define TANH tanh
#define REDUCTION _Pragma("omp simd reduction(+ : sum)")
#include "transformer/passes_template.h"
