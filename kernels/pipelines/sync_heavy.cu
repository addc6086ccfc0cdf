#include "pipelines/sync_heavy.h"

#include <string.h>

#include "device/code/launch.cuh"
#include "kgate/profiler.h"

enum { THREADS = 256, WARPS = THREADS / 32 };
/* Enough for any GPU. Each block adds to one number, one after the other. */
static const size_t BLOCKS_MOST = 1024;

/* The sum over the block, in its first thread. */
static __device__ double block_sum(double sum)
{
    __shared__ double of_warp[WARPS];
    for (int by = 16; by > 0; by /= 2)
        sum += __shfl_down_sync(0xffffffffU, sum, by);
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = 0;
    for (int i = 0; i < WARPS && threadIdx.x == 0; i++)
        sum += of_warp[i];
    return sum;
}

static __global__ void __launch_bounds__(THREADS)
    equations_step(const float *__restrict__ b, const float *__restrict__ d, float *__restrict__ x,
                   size_t n, bool first, double *norm)
{
    const size_t stride = static_cast<size_t>(gridDim.x) * THREADS;
    double sum = 0;
    for (size_t i = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x; i < n; i += stride) {
        float at = first ? 0.0F : x[i];
        const double r = static_cast<double>(kg_sync_heavy_step(b[i], d[i], &at));
        x[i] = at;
        sum += r * r;
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        atomicAdd(norm, sum);
}

static cudaStream_t stream_of(const struct kg_sync_heavy *work)
{
    return static_cast<cudaStream_t>(work->call.stream);
}

static void norms_clear(const struct kg_sync_heavy *work)
{
    (void)cudaMemsetAsync(work->device_norms, 0, work->steps * sizeof(double), stream_of(work));
}

static void step_launch(const struct kg_sync_heavy *work, unsigned s)
{
    KGATE_SCOPE_CUDA("step", work->call.stream, 4 * work->n * sizeof(float));
    const size_t blocks = (work->n + THREADS - 1) / THREADS;
    KG_LAUNCH(equations_step, static_cast<unsigned>(blocks < BLOCKS_MOST ? blocks : BLOCKS_MOST),
              THREADS, 0, work->call.stream, work->b, work->d, work->x, work->n, s == 0,
              work->device_norms + s);
}

/* `count` norms from number `first` on. */
static void norms_copy(const struct kg_sync_heavy *work, unsigned first, unsigned count)
{
    const size_t bytes = count * sizeof(double);
    KGATE_SCOPE_TRANSFER_CUDA("device_to_host", work->call.stream, bytes);
    (void)cudaMemcpyAsync(work->norms + first, work->device_norms + first, bytes,
                          cudaMemcpyDeviceToHost, stream_of(work));
}

static bool synchronise(const struct kg_sync_heavy *work)
{
    KGATE_SCOPE_WAITING("synchronise");
    return cudaStreamSynchronize(stream_of(work)) == cudaSuccess;
}

/* 0 every_step: the host waits for each norm, and launches nothing meanwhile. So the device waits
 * for the host, and the host for the device. A call that is being recorded cannot wait: it ends
 * there, and CUDA reports the reason to the recording caller. */
extern "C" void kg_sync_heavy_cuda_every_step(void *state)
{
    const auto *work = static_cast<const struct kg_sync_heavy *>(state);
    norms_clear(work);
    for (unsigned s = 0; s < work->steps; s++) {
        step_launch(work, s);
        norms_copy(work, s, 1);
        if (!synchronise(work))
            return;
        work->seen[s] = work->norms[s];
        if (work->norms[s] == 0) { /* nothing would change any more */
            memset(work->norms + s, 0, (work->steps - s) * sizeof(double));
            return;
        }
    }
}

/* 1 once: all work goes to the stream in a row, the norms stay on the device, and one copy brings
 * them at the end. A caller that needs the norms waits then. */
extern "C" void kg_sync_heavy_cuda_once(void *state)
{
    const auto *work = static_cast<const struct kg_sync_heavy *>(state);
    norms_clear(work);
    for (unsigned s = 0; s < work->steps; s++)
        step_launch(work, s);
    norms_copy(work, 0, work->steps);
}

extern "C" void kg_sync_heavy_finish(struct kgate_context *context, void *state)
{
    (void)context, (void)state;
    (void)cudaGetLastError();
}
