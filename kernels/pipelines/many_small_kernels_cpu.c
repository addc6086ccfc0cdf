#include "kgate/profiler.h"
#include "pipelines/many_small_kernels.h"

/* `to` may be `from`. */
static void oscillators_step(const struct kg_oscillator *from, struct kg_oscillator *to,
                             size_t count)
{
#pragma omp simd
    for (size_t i = 0; i < count; i++)
        to[i] = kg_oscillator_step(from[i]);
}

/* 0 launches: a parallel region for each step, as a loop over steps around a parallel loop over
 * elements comes to be. Each wakes the threads, gives them a few elements, and waits for all. */
void kg_many_small_kernels_launches(void *state)
{
    const struct kg_many_small_kernels *work = state;
    const size_t parts = (size_t)work->call.threads;
    for (unsigned s = 0; s < work->steps; s++) {
        const struct kg_oscillator *from = s ? work->now : work->start;
        KGATE_SCOPE_PARALLEL_REGION("fork_join");
#pragma omp parallel for num_threads(work->call.threads) schedule(static)
        for (size_t p = 0; p < parts; p++) {
            const size_t start = p * work->n / parts, end = (p + 1) * work->n / parts;
            KGATE_SCOPE_ON("step", KGATE_DEVICE_CPU, "openmp", 0);
            oscillators_step(from + start, work->now + start, end - start);
        }
    }
}

/* 1 fused: one region. No element needs another one, so no thread has to wait for another before
 * the end: each takes its part, which stays in its cache, through all steps. */
void kg_many_small_kernels_fused(void *state)
{
    const struct kg_many_small_kernels *work = state;
    const size_t parts = (size_t)work->call.threads;
    KGATE_SCOPE_PARALLEL_REGION("fork_join");
#pragma omp parallel for num_threads(work->call.threads) schedule(static)
    for (size_t p = 0; p < parts; p++) {
        const size_t start = p * work->n / parts, end = (p + 1) * work->n / parts;
        KGATE_SCOPE_ON("steps", KGATE_DEVICE_CPU, "openmp", 0);
        for (unsigned s = 0; s < work->steps; s++)
            oscillators_step((s ? work->now : work->start) + start, work->now + start, end - start);
    }
}
