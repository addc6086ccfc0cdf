#include <math.h>

#include "common/common.h"
#include "gemm/gemm.h"
#include "util/random.h"

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

double kg_gemm_freivalds(const struct kg_gemm *gemm, double *x)
{
    double *sign = x, *br = x + gemm->n, *b_size = br + gemm->k, worst = 0;
    struct kg_random random = {gemm->seed ^ UINT64_C(0x5bd1e995)};
    for (size_t j = 0; j < gemm->n; j++)
        sign[j] = kg_random_next(&random) >> 63 ? 1 : -1;
    for (size_t l = 0; l < gemm->k; l++) {
        br[l] = b_size[l] = 0;
        for (size_t j = 0; j < gemm->n; j++) {
            br[l] += (double)gemm->b[l * gemm->n + j] * sign[j];
            b_size[l] += fabs((double)gemm->b[l * gemm->n + j]);
        }
    }
    for (size_t i = 0; i < gemm->m; i++) {
        double expected = 0, size = 0, found = 0;
        for (size_t l = 0; l < gemm->k; l++) {
            const double a = (double)gemm->a[i * gemm->k + l];
            expected += a * br[l];
            size += fabs(a) * b_size[l];
        }
        for (size_t j = 0; j < gemm->n; j++)
            found += (double)gemm->c[i * gemm->n + j] * sign[j];
        const double error = fabs(found - expected);
        worst = kg_worse(worst, error > 0 ? error / size : error);
    }
    return worst;
}
