#include "pipelines/host_device_pipeline.h"

#include "common/common.h"
#include "device/code/launch.cuh"
#include "kgate/profiler.h"

enum { THREADS = 256 };
static const size_t BLOCKS_MOST = 1 << 20;

static __global__ void __launch_bounds__(THREADS)
    polynomial(const float *__restrict__ x, float *__restrict__ y, size_t n, unsigned intensity)
{
    const size_t stride = static_cast<size_t>(gridDim.x) * THREADS;
    for (size_t i = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x; i < n; i += stride) {
        const float at = x[i];
        float value = 1;
        for (unsigned k = 0; k < intensity; k++)
            value = fmaf(value, at, 1.0F);
        y[i] = value;
    }
}

static cudaStream_t stream_of(void *stream)
{
    return static_cast<cudaStream_t>(stream);
}

static cudaEvent_t event_of(void *event)
{
    return static_cast<cudaEvent_t>(event);
}

/* Elements start to end - 1: there, through the computation, and back, on one stream. */
static void part_put(const struct kg_host_device_pipeline *pipeline, size_t start, size_t end,
                     cudaStream_t stream)
{
    const size_t n = end - start, bytes = n * sizeof(float);
    if (!n)
        return;
    {
        KGATE_SCOPE_TRANSFER_CUDA("host_to_device", stream, bytes);
        (void)cudaMemcpyAsync(pipeline->x + start, pipeline->input + start, bytes,
                              cudaMemcpyHostToDevice, stream);
    }
    {
        KGATE_SCOPE_CUDA("compute", stream, 2 * bytes);
        const size_t blocks = (n + THREADS - 1) / THREADS;
        KG_LAUNCH(polynomial, static_cast<unsigned>(blocks < BLOCKS_MOST ? blocks : BLOCKS_MOST),
                  THREADS, 0, stream, pipeline->x + start, pipeline->y + start, n,
                  pipeline->intensity);
    }
    {
        KGATE_SCOPE_TRANSFER_CUDA("device_to_host", stream, bytes);
        (void)cudaMemcpyAsync(pipeline->output + start, pipeline->y + start, bytes,
                              cudaMemcpyDeviceToHost, stream);
    }
}

/* 0 pageable, 1 pinned: copies the whole array to the GPU, works on it, and copies it back. None of
 * the three steps overlaps another. With pageable memory the host copies, too, and the call
 * waits. */
extern "C" void kg_host_device_whole(void *state)
{
    const auto *pipeline = static_cast<const struct kg_host_device_pipeline *>(state);
    part_put(pipeline, 0, pipeline->n, stream_of(pipeline->call.stream));
}

/* 2 overlapped: chunks alternate among several streams and may overlap. Events order them after
 * earlier work on `stream` and before later work there. A recorded graph understands events,
 * too. */
extern "C" void kg_host_device_overlapped(void *state)
{
    const auto *pipeline = static_cast<const struct kg_host_device_pipeline *>(state);
    (void)cudaEventRecord(event_of(pipeline->begun), stream_of(pipeline->call.stream));
    for (void *lane : pipeline->lanes)
        (void)cudaStreamWaitEvent(stream_of(lane), event_of(pipeline->begun), 0);
    for (unsigned i = 0; i < pipeline->chunks; i++)
        part_put(pipeline, kg_host_device_chunk(pipeline->n, pipeline->chunks, i),
                 kg_host_device_chunk(pipeline->n, pipeline->chunks, i + 1),
                 stream_of(pipeline->lanes[i % KG_PIPELINE_STREAMS]));
    for (unsigned i = 0; i < KG_PIPELINE_STREAMS; i++) {
        (void)cudaEventRecord(event_of(pipeline->done[i]), stream_of(pipeline->lanes[i]));
        (void)cudaStreamWaitEvent(stream_of(pipeline->call.stream), event_of(pipeline->done[i]), 0);
    }
}

static cudaError_t event_make(void **event)
{
    cudaEvent_t made = nullptr;
    const cudaError_t status = cudaEventCreateWithFlags(&made, cudaEventDisableTiming);
    *event = made;
    return status;
}

/* Streams that the legacy default stream does not hold up. */
static cudaError_t stream_make(void **stream)
{
    cudaStream_t made = nullptr;
    const cudaError_t status = cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking);
    *stream = made;
    return status;
}

extern "C" bool kg_host_device_prepare(struct kgate_context *context, void *state)
{
    auto *pipeline = static_cast<struct kg_host_device_pipeline *>(state);
    if (pipeline->call.version != kg_host_device_overlapped)
        return true;
    cudaError_t status = event_make(&pipeline->begun);
    for (int i = 0; i < KG_PIPELINE_STREAMS && status == cudaSuccess; i++) {
        status = stream_make(&pipeline->lanes[i]);
        if (status == cudaSuccess)
            status = event_make(&pipeline->done[i]);
    }
    return status == cudaSuccess ||
           kg_kernel_refuse(context, "CUDA: %s", cudaGetErrorString(status));
}

extern "C" void kg_host_device_finish(struct kgate_context *context, void *state)
{
    const auto *pipeline = static_cast<const struct kg_host_device_pipeline *>(state);
    (void)context;
    for (int i = 0; i < KG_PIPELINE_STREAMS; i++) {
        if (pipeline->lanes[i])
            (void)cudaStreamDestroy(stream_of(pipeline->lanes[i]));
        if (pipeline->done[i])
            (void)cudaEventDestroy(event_of(pipeline->done[i]));
    }
    if (pipeline->begun)
        (void)cudaEventDestroy(event_of(pipeline->begun));
    (void)cudaGetLastError();
}
