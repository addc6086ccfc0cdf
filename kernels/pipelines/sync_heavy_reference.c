#include "pipelines/sync_heavy.h"

/* Side by side, so that a processor takes several at once. */
void kg_sync_heavy_reference(const float *b, const float *d, size_t count, unsigned steps,
                             double *x, double *norms)
{
    for (size_t i = 0; i < count; i++)
        x[i] = 0;
    for (unsigned s = 0; s < steps; s++) {
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (size_t i = 0; i < count; i++) {
            const double r = (double)b[i] - (double)d[i] * x[i];
            x[i] += r / 16;
            sum += r * r;
        }
        norms[s] += sum;
    }
}

void kg_sync_heavy_again(const float *b, const float *d, size_t count, unsigned steps,
                         double *norms)
{
    float x[KG_SYNC_HEAVY_BLOCK] = {0};
    for (unsigned s = 0; s < steps; s++) {
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (size_t i = 0; i < count; i++) {
            const double r = (double)kg_sync_heavy_step(b[i], d[i], &x[i]);
            sum += r * r;
        }
        norms[s] += sum;
    }
}
