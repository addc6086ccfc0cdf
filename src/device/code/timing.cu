/* timing.cu: the small kernels of the timer. They block a stream, read clocks, do nothing, keep the
 * device busy, or flush the L2 cache. Only the last one reads device memory. None writes device
 * memory: they write to page-locked memory of the host. */
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

/* The blocking kernel, of one thread. It ends when gate->released reaches `number`, or after
 * limit_ns, whatever the host does: it never hangs a device. If the timer does not move, the cycle
 * counter ends it.
 *
 * In PTX's memory model a volatile load is relaxed at system scope: each one goes to the host's
 * memory. The kernel reads nothing else that the host wrote before the flag, so it needs no
 * acquire. The stream orders later work after this kernel. */
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
        /* The host reads the word after waiting for the stream, which makes the word visible. The
         * fence makes it visible to a polling host too. */
        __threadfence_system();
        return;
    }
}

/* One thread per block, one block per multiprocessor. The timer moves in steps, of a microsecond on
 * some devices. The kernel waits for a step, since the timer is exact right after one. It waits for
 * at most tries_cycles. */
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
    /* The host reads an entry after the stream is done: all fields are then complete, in any order
     * of writing. */
    stamp->number = number;
}

extern "C" __global__ void kg_empty()
{
}

/* Computes for limit_ns, or for limit_cycles if the timer does not move: work for which a device
 * raises its clock. With 0.5 for `half`, every x stays positive and nothing is ever written. The
 * compiler knows neither, so it cannot remove the work. */
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

/* Reads `vectors` vectors of zeros past the first-level cache. The zeros replace the contents of
 * the L2 cache; dirty lines are written back before this kernel ends. The zeros are clean, so the
 * work that follows writes nothing back. With zeros the kernel itself never writes; the compiler
 * does not know that. As many blocks as fit. */
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
