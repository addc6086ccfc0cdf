/* timing.cu: the small kernels of the timer: one that holds a stream back, one that reads clocks,
 * one that does nothing, one that keeps the device busy, one that flushes the L2 cache. Only the last
 * one reads device memory, and none writes any: what they write goes to page-locked memory of the
 * host. */
#include "device/code/timing.h"

#ifdef KGATE_EMULATE_CUDA
/* A test's clocks. */
uint64_t timer_ns();
uint32_t multiprocessor();
long long clock64();
void __threadfence_system();
#else
static __device__ uint64_t timer_ns()
{
    uint64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

static __device__ uint32_t multiprocessor()
{
    uint32_t id;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
    return id;
}
#endif

/* One thread. Ends when gate->released reaches `number`, or after limit_ns, whatever the host does:
 * a device is never hung. Should the timer not move, the cycle counter ends it.
 *
 * A volatile load is, in the terms of PTX's memory model, a relaxed one at system scope: it goes to
 * the host's memory each time. Nothing is read after the flag that the host wrote before it, so
 * that no acquire is needed. What comes after this kernel on the stream is
 * ordered by the stream. */
extern "C" __global__ void kg_hold(struct kg_gate *gate, uint32_t number, uint64_t limit_ns,
                                   uint64_t limit_cycles)
{
    volatile struct kg_gate *const words = gate;
    const uint64_t start_ns = timer_ns();
    const long long start_cycles = clock64();
    /* The difference, not the order: numbers may wrap around. */
    while ((int32_t)(words->released - number) < 0) {
        if (timer_ns() - start_ns < limit_ns && (uint64_t)(clock64() - start_cycles) < limit_cycles)
            continue;
        words->timed_out = number;
        /* The host reads it after it has waited for the stream, which makes it visible; the fence
         * makes it so even where it only polls. */
        __threadfence_system();
        return;
    }
}

/* One thread a block, as many blocks as there are multiprocessors. The timer moves in steps, of a
 * microsecond on some devices: the reading is taken right after one, where it is exact. At most
 * tries_cycles are spent on waiting for it. */
extern "C" __global__ void kg_stamp(struct kg_stamp *stamps, uint64_t number, uint64_t tries_cycles)
{
    const long long start = clock64();
    const uint64_t first = timer_ns();
    uint64_t now = first;
    long long cycles = start;
    while (now == first && (uint64_t)(cycles - start) < tries_cycles) {
        now = timer_ns();
        cycles = clock64();
    }
    struct kg_stamp *const stamp = &stamps[blockIdx.x];
    stamp->cycles = (uint64_t)cycles;
    stamp->timer_ns = now;
    stamp->step_ns = (uint32_t)(now - first);
    stamp->multiprocessor = multiprocessor();
    /* The host looks when the stream is done: then all is there, in whatever
     * order it was written. */
    stamp->number = number;
}

extern "C" __global__ void kg_empty()
{
}

/* Computes for limit_ns, or for limit_cycles where the timer does not move: work that a device
 * raises its clock for. With a half for `half` every x stays positive, so that nothing is ever
 * written; the compiler knows neither, and leaves nothing out. */
extern "C" __global__ void __launch_bounds__(KG_BUSY_THREADS)
    kg_busy(float *never, float half, uint64_t limit_ns, uint64_t limit_cycles)
{
    enum { CHAINS = 8, STEPS = 128 };
    const uint64_t start_ns = timer_ns();
    const long long start_cycles = clock64();
    float x[CHAINS];
#pragma unroll
    for (int c = 0; c < CHAINS; c++)
        x[c] = (float)(threadIdx.x + c);
    do {
#pragma unroll 4
        for (int step = 0; step < STEPS; step++)
#pragma unroll
            for (int c = 0; c < CHAINS; c++)
                x[c] = x[c] * half + half;
    } while (timer_ns() - start_ns < limit_ns &&
             (uint64_t)(clock64() - start_cycles) < limit_cycles);
    float sum = 0;
#pragma unroll
    for (int c = 0; c < CHAINS; c++)
        sum += x[c];
    if (sum < 0)
        *never = sum;
}

/* Reads `vectors` vectors of zeros past the first-level cache. What was in the L2 cache gives way, and
 * is written back to memory where it was dirty, before this ends; what is left there is clean, so that
 * nothing has to be written back in the time of what follows. With zeros nothing is ever written,
 * which the compiler does not know. As many blocks as fit. */
extern "C" __global__ void __launch_bounds__(KG_BUSY_THREADS)
    kg_clean(const uint4 *clean, uint64_t vectors, float *never)
{
    enum { FLIGHT = 4 };
    const uint64_t step = (uint64_t)gridDim.x * KG_BUSY_THREADS;
    const uint64_t first = (uint64_t)blockIdx.x * KG_BUSY_THREADS + threadIdx.x;
    uint32_t seen = 0;
    for (uint64_t i = first; i < vectors; i += FLIGHT * step) {
        uint4 x[FLIGHT];
#pragma unroll
        for (int f = 0; f < FLIGHT; f++)
            x[f] = __ldcg(&clean[i + f * step < vectors ? i + f * step : i]);
#pragma unroll
        for (int f = 0; f < FLIGHT; f++)
            seen |= x[f].x | x[f].y | x[f].z | x[f].w;
    }
    if (seen)
        *never = 1;
}
