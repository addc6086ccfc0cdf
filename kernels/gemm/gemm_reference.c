#include <math.h>

#include "base/random.h"
#include "common/common.h"
#include "gemm/gemm.h"

void kg_gemm_reference_row(const struct kg_gemm *gemm, size_t i, double *row, double *size)
{
    for (size_t j = 0; j < gemm->n; j++)
        row[j] = size[j] = 0;
    for (size_t l = 0; l < gemm->k; l++) {
        const double a = (double)gemm->a[i * gemm->k + l];
        for (size_t j = 0; j < gemm->n; j++) {
            const double product = a * (double)gemm->b[l * gemm->n + j];
            row[j] += product;
            size[j] += fabs(product);
        }
    }
}

/* Sizes come from a range. With random signs alone, equal errors of two elements of a row would
 * cancel in half of the cases. */
static void weights_draw(const struct kg_gemm *gemm, double *weight)
{
    struct kg_random random = kg_check_random(gemm->seed, KG_GEMM_PROJECTION);
    for (size_t j = 0; j < gemm->n; j++) {
        const double size = kg_random_between(&random, 0.5, 1.5);
        weight[j] = kg_random_next(&random) >> 63 ? size : -size;
    }
}

double kg_gemm_freivalds(const struct kg_gemm *gemm, double *x)
{
    double *weight = x, *br = x + gemm->n, *b_norm = br + gemm->k, worst = 0;
    weights_draw(gemm, weight);
    for (size_t l = 0; l < gemm->k; l++) {
        double squares = br[l] = 0;
        for (size_t j = 0; j < gemm->n; j++) {
            const double term = (double)gemm->b[l * gemm->n + j] * weight[j];
            br[l] += term;
            squares += term * term;
        }
        b_norm[l] = sqrt(squares);
    }
    for (size_t i = 0; i < gemm->m; i++) {
        double expected = 0, size = 0, found = 0;
        for (size_t l = 0; l < gemm->k; l++) {
            const double a = (double)gemm->a[i * gemm->k + l];
            expected += a * br[l];
            size += fabs(a) * b_norm[l];
        }
        for (size_t j = 0; j < gemm->n; j++)
            found += (double)gemm->c[i * gemm->n + j] * weight[j];
        worst = kg_worse(worst, kg_relative(fabs(found - expected), size));
    }
    return worst;
}
