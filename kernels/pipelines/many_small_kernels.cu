#include "pipelines/many_small_kernels.h"

#include "common/common.h"
#include "device/code/launch.cuh"
#include "kgate/profiler.h"

enum { THREADS = 256 };

/* One thread per element. `to` may be `from`: each thread reads its element before it writes it. */
static __global__ void __launch_bounds__(THREADS)
    oscillators_step(const struct kg_oscillator *from, struct kg_oscillator *to, size_t n)
{
    const size_t i = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x;
    if (i < n)
        to[i] = kg_oscillator_step(from[i]);
}

static __global__ void __launch_bounds__(THREADS)
    oscillators_steps(const struct kg_oscillator *__restrict__ from,
                      struct kg_oscillator *__restrict__ to, size_t n, unsigned steps)
{
    const size_t i = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x;
    if (i >= n)
        return;
    struct kg_oscillator now = from[i];
    for (unsigned s = 0; s < steps; s++)
        now = kg_oscillator_step(now);
    to[i] = now;
}

static unsigned blocks_of(size_t n)
{
    return static_cast<unsigned>((n + THREADS - 1) / THREADS);
}

static void steps_launch(const struct kg_many_small_kernels *work, void *stream)
{
    for (unsigned s = 0; s < work->steps; s++) {
        KGATE_SCOPE_CUDA("step", stream, 2 * work->n * sizeof *work->now);
        KG_LAUNCH(oscillators_step, blocks_of(work->n), THREADS, 0, stream,
                  s ? work->now : work->start, work->now, work->n);
    }
}

/* 0 launches: the host launches each step. The device finishes a step before the next launch
 * arrives, and waits. */
extern "C" void kg_many_small_kernels_cuda_launches(void *state)
{
    const auto *work = static_cast<const struct kg_many_small_kernels *>(state);
    steps_launch(work, work->call.stream);
}

static bool is_recorded(cudaStream_t stream)
{
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    return cudaStreamIsCapturing(stream, &status) == cudaSuccess &&
           status != cudaStreamCaptureStatusNone;
}

/* 1 graph: the same kernels, known to the device beforehand, as one launch. The remaining gaps are
 * the device's own, from the end of a kernel to the start of the next. A stream that is itself
 * recorded accepts no launch of a graph. Then the kernels go into this recording one by one, and
 * give the same graph. */
extern "C" void kg_many_small_kernels_cuda_graph(void *state)
{
    const auto *work = static_cast<const struct kg_many_small_kernels *>(state);
    cudaStream_t stream = static_cast<cudaStream_t>(work->call.stream);
    if (is_recorded(stream)) {
        steps_launch(work, stream);
        return;
    }
    KGATE_SCOPE_CUDA("graph", stream, 2 * work->n * sizeof *work->now);
    (void)cudaGraphLaunch(static_cast<cudaGraphExec_t>(work->graph), stream);
}

/* 2 fused: one kernel, whose threads keep their element in registers from the first step to the
 * last: no gaps, and memory is read and written once. */
extern "C" void kg_many_small_kernels_cuda_fused(void *state)
{
    const auto *work = static_cast<const struct kg_many_small_kernels *>(state);
    KGATE_SCOPE_CUDA("steps", work->call.stream, 2 * work->n * sizeof *work->now);
    KG_LAUNCH(oscillators_steps, blocks_of(work->n), THREADS, 0, work->call.stream, work->start,
              work->now, work->n, work->steps);
}

/* Records the steps as a graph, on a stream of its own. If a step cannot be recorded, the end of
 * the recording returns the error. CUDA may load a kernel's code at its first launch, which cannot
 * be recorded. So the kernel first runs once over no elements. */
static cudaError_t steps_record(const struct kg_many_small_kernels *work, cudaStream_t stream,
                                cudaGraph_t *graph)
{
    KG_LAUNCH(oscillators_step, 1, THREADS, 0, stream, work->start, work->now, 0);
    cudaError_t status = cudaStreamSynchronize(stream);
    if (status == cudaSuccess)
        status = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    if (status != cudaSuccess)
        return status;
    steps_launch(work, stream);
    return cudaStreamEndCapture(stream, graph);
}

/* The upload takes the graph to the device, so that the first launch need not. */
static cudaError_t graph_make(struct kg_many_small_kernels *work)
{
    cudaStream_t stream = nullptr;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t ready = nullptr;
    cudaError_t status = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (status != cudaSuccess)
        return status;
    status = steps_record(work, stream, &graph);
    if (status == cudaSuccess)
        status = cudaGraphInstantiateWithFlags(&ready, graph, 0);
    if (status == cudaSuccess)
        work->graph = ready;
    if (status == cudaSuccess)
        status = cudaGraphUpload(ready, static_cast<cudaStream_t>(work->call.stream));
    if (graph)
        (void)cudaGraphDestroy(graph);
    (void)cudaStreamDestroy(stream);
    return status;
}

extern "C" bool kg_many_small_kernels_prepare(struct kgate_context *context, void *state)
{
    auto *work = static_cast<struct kg_many_small_kernels *>(state);
    if (work->call.version != kg_many_small_kernels_cuda_graph)
        return true;
    const cudaError_t status = graph_make(work);
    return status == cudaSuccess ||
           kg_kernel_refuse(context, "CUDA: %s", cudaGetErrorString(status));
}

extern "C" void kg_many_small_kernels_finish(struct kgate_context *context, void *state)
{
    const auto *work = static_cast<const struct kg_many_small_kernels *>(state);
    (void)context;
    if (work->graph)
        (void)cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(work->graph));
    (void)cudaGetLastError();
}
