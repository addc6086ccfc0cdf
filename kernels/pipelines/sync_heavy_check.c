#include <float.h>
#include <stdlib.h>

#include "common/common.h"
#include "pipelines/sync_heavy.h"

/* Limit of the rounding error of x, relative to |b|, and of the root of a norm, relative to the
 * first. */
#define RELATIVE_ERROR (70 * (double)FLT_EPSILON / 2)

/* Norms of the reference, and of the versions' own steps, over one thread's elements. */
struct norms {
    double *reference;
    double *again;
};

/* Returns the error of x, and adds the squares of these elements to the norms. */
static double block_error(const float *b, const float *d, const float *x, size_t count,
                          unsigned steps, struct norms norms)
{
    double exact[KG_SYNC_HEAVY_BLOCK], worst = 0;
    kg_sync_heavy_reference(b, d, count, steps, exact, norms.reference);
    kg_sync_heavy_again(b, d, count, steps, norms.again);
    for (size_t i = 0; i < count; i++)
        worst = kg_worse(
            worst, kg_relative(fabs((double)x[i] - exact[i]), RELATIVE_ERROR * fabs((double)b[i])));
    return worst;
}

/* Each thread's norms are in rows of their own; all are added up into the first. */
static double elements_error(const struct kg_sync_heavy *work, struct norms norms)
{
    const float *b = work->b, *d = work->d, *x = work->x;
    const size_t parts = (size_t)work->call.threads, n = work->n, block = KG_SYNC_HEAVY_BLOCK;
    double worst = 0;
#pragma omp parallel for num_threads(work->call.threads) schedule(static)
    for (size_t p = 0; p < parts; p++) {
        const size_t end = (p + 1) * n / parts;
        const struct norms own = {norms.reference + p * work->steps, norms.again + p * work->steps};
        double error = 0;
        for (size_t i = p * n / parts; i < end; i += block)
            error =
                kg_worse(error, block_error(b + i, d + i, x + i, end - i < block ? end - i : block,
                                            work->steps, own));
#pragma omp critical(kg_sync_heavy_check)
        worst = kg_worse(worst, error);
    }
    for (size_t p = 1; p < parts; p++)
        for (unsigned s = 0; s < work->steps; s++) {
            norms.reference[s] += norms.reference[p * work->steps + s];
            norms.again[s] += norms.again[p * work->steps + s];
        }
    return worst;
}

static double norms_error(const struct kg_sync_heavy *work, struct norms norms)
{
    double worst = 0;
    for (unsigned s = 0; s < work->steps; s++) {
        const double norm = work->norms[s], again = norms.again[s];
        worst = kg_worse(worst, kg_relative(fabs(sqrt(norm) - sqrt(norms.reference[s])),
                                            RELATIVE_ERROR * sqrt(norms.reference[0])));
        worst =
            kg_worse(worst, kg_relative(fabs(norm - again), (double)work->n * DBL_EPSILON * again));
    }
    return worst;
}

/* Infinite if a thread saw another N than the final one. Stops at the first step with N = 0. */
static double seen_error(const struct kg_sync_heavy *work)
{
    for (unsigned s = 0; s < work->steps && work->seen; s++) {
        for (size_t row = 0; row < work->rows; row++)
            if (work->seen[row * work->row_stride + s] != work->norms[s])
                return INFINITY;
        if (work->norms[s] == 0)
            break;
    }
    return 0;
}

bool kg_sync_heavy_error(const struct kg_sync_heavy *work, double *error)
{
    const size_t count = (size_t)work->call.threads * work->steps;
    double *memory = calloc(2 * count, sizeof *memory);
    if (!memory)
        return false;
    const struct norms norms = {memory, memory + count};
    *error = elements_error(work, norms);
    *error = kg_worse(*error, norms_error(work, norms));
    *error = kg_worse(*error, seen_error(work));
    free(memory);
    return true;
}
