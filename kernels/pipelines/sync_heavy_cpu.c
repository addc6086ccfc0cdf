#include <string.h>

#include "kgate/profiler.h"
#include "pipelines/sync_heavy.h"

/* One step of part p of call.threads parts. Returns the sum of squares of its r. */
static double part_step(const struct kg_sync_heavy *work, size_t p, bool first)
{
    const size_t parts = (size_t)work->call.threads;
    const size_t start = p * work->n / parts, end = (p + 1) * work->n / parts;
    const float *b = work->b, *d = work->d;
    float *x = work->x;
    double sum = 0;
    KGATE_SCOPE_ON("step", KGATE_DEVICE_CPU, "openmp", 0);
    if (first)
        memset(x + start, 0, (end - start) * sizeof *x);
#pragma omp simd reduction(+ : sum)
    for (size_t i = start; i < end; i++) {
        const double r = (double)kg_sync_heavy_step(b[i], d[i], &x[i]);
        sum += r * r;
    }
    return sum;
}

/* All threads add to one address, one after the other: its cache line moves from core to core. */
static void shared_add(double *norm, double sum)
{
    KGATE_SCOPE("add");
#pragma omp atomic
    *norm += sum;
}

/* 0 every_step: in each step all threads share a sum, and a barrier waits until it is complete. The
 * cost per step is the time of the slowest thread. Each thread stores the sum it saw: only this
 * proves that it waited, as the sum is complete later in any case. */
void kg_sync_heavy_every_step(void *state)
{
    const struct kg_sync_heavy *work = state;
    const size_t parts = (size_t)work->call.threads;
    memset(work->norms, 0, work->steps * sizeof *work->norms);
    KGATE_SCOPE_PARALLEL_REGION("fork_join");
#pragma omp parallel num_threads(work->call.threads)
    for (unsigned s = 0; s < work->steps; s++) {
#pragma omp for schedule(static) nowait
        for (size_t p = 0; p < parts; p++)
            shared_add(&work->norms[s], part_step(work, p, s == 0));
        {
            KGATE_SCOPE_WAITING("synchronise");
#pragma omp barrier
        }
#pragma omp for schedule(static) nowait
        for (size_t p = 0; p < parts; p++)
            work->seen[p * work->row_stride + s] = work->norms[s];
        if (work->norms[s] == 0)
            break; /* all threads see the same, and nothing would change any more */
    }
}

static void parts_make(const struct kg_sync_heavy *work)
{
    KGATE_SCOPE_PARALLEL_REGION("fork_join");
#pragma omp parallel for num_threads(work->call.threads) schedule(static)
    for (size_t p = 0; p < work->rows; p++)
        for (unsigned s = 0; s < work->steps; s++)
            work->parts[p * work->row_stride + s] = part_step(work, p, s == 0);
}

/* 1 once: each thread takes its part through all steps without waiting, and stores its sums in its
 * own memory. The sums are added at the end. */
void kg_sync_heavy_once(void *state)
{
    const struct kg_sync_heavy *work = state;
    parts_make(work);
    KGATE_SCOPE("add");
    memset(work->norms, 0, work->steps * sizeof *work->norms);
    for (size_t p = 0; p < work->rows; p++)
        for (unsigned s = 0; s < work->steps; s++)
            work->norms[s] += work->parts[p * work->row_stride + s];
}
