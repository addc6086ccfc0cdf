/* The profiler in a CUDA program: built with a CUDA toolkit, run on a machine with a GPU. Scopes
 * around kernels and copies get GPU times, and do not disturb a capture into a graph. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <kgate/profiler.h>

#define CUDA_CHECK(call)                                                                           \
    do {                                                                                           \
        const cudaError_t code_ = (call);                                                          \
        if (code_ != cudaSuccess) {                                                                \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,                     \
                         cudaGetErrorString(code_));                                               \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (0)

#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);           \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (0)

static const size_t COUNT = size_t(1) << 22;
static const size_t BYTES = COUNT * sizeof(float);
static const int STEPS = 20;

__global__ void scale(float *x, size_t count, float factor)
{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < count)
        x[i] *= factor;
}

static void scale_launch(float *x, cudaStream_t stream)
{
    KGATE_SCOPE_CUDA("scale", stream, 2 * BYTES);
    scale<<<unsigned(COUNT / 256), 256, 0, stream>>>(x, COUNT, 1.01F);
    CUDA_CHECK(cudaGetLastError());
}

static void steps_run(float *host, float *x, cudaStream_t stream)
{
    KGATE_FUNCTION();
    for (int i = 0; i < STEPS; i++) {
        KGATE_SCOPE("step");
        {
            KGATE_SCOPE_TRANSFER_CUDA("to device", stream, BYTES);
            CUDA_CHECK(cudaMemcpyAsync(x, host, BYTES, cudaMemcpyHostToDevice, stream));
        }
        scale_launch(x, stream);
    }
}

/* While a stream is captured, in the strictest mode: neither a scope on it nor one on another stream,
 * nor the collecting of times, may break the capture. */
static void capture_run(float *x, cudaStream_t stream, cudaStream_t other)
{
    cudaGraph_t graph;
    KGATE_FUNCTION();
    CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    {
        KGATE_SCOPE("captured");
        KGATE_SCOPE_CUDA("captured", stream, 0);
        KGATE_SCOPE_CUDA("captured on the default stream", NULL, 0);
        scale<<<1, 256, 0, stream>>>(x, 256, 1.0F);
        CUDA_CHECK(cudaGetLastError());
    }
    {
        KGATE_SCOPE_CUDA("beside a capture", other, 0);
        scale<<<1, 256, 0, other>>>(x + 256, 256, 1.0F);
        CUDA_CHECK(cudaGetLastError());
    }
    REQUIRE(kgate_profiler_flush(NULL));
    CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
    REQUIRE(graph != NULL);
    CUDA_CHECK(cudaGraphDestroy(graph));
}

/* Each call on its own: every scope of that name has a time on the GPU. */
static void times_check(const struct kgate_profile_results *results, const char *name, int calls,
                        bool transfers)
{
    for (size_t i = 0; i < results->name_count; i++) {
        const struct kgate_scope_statistics *scope = &results->names[i];
        if (std::strcmp(scope->name, name) != 0)
            continue;
        const double ns = transfers ? scope->transfer_ns : scope->gpu_ns;
        std::printf("%s: %.1f us on the GPU each\n", name, ns / 1e3 / calls);
        REQUIRE(scope->calls == uint64_t(calls));
        REQUIRE(ns / calls > 500); /* no kernel or copy is shorter */
        REQUIRE(ns < 10e9);
        return;
    }
    std::fprintf(stderr, "no scope is called \"%s\"\n", name);
    std::exit(1);
}

int main(void)
{
    char message[256];
    int devices = 0;
    float *host, *x;
    cudaStream_t stream, other;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::puts("no GPU: skipped");
        return 0;
    }
    CUDA_CHECK(cudaMallocHost(reinterpret_cast<void **>(&host), BYTES));
    CUDA_CHECK(cudaMalloc(reinterpret_cast<void **>(&x), BYTES));
    CUDA_CHECK(cudaStreamCreate(&stream));
    CUDA_CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    std::memset(host, 0, BYTES);
    if (!kgate_profiler_start(NULL, message)) {
        std::fprintf(stderr, "%s\n", message);
        return 1;
    }
    steps_run(host, x, stream);
    capture_run(x, stream, other);
    CUDA_CHECK(cudaDeviceSynchronize());
    kgate_profiler_stop();
    REQUIRE(kgate_profiler_print(NULL, KGATE_PROFILE_TREE, stdout, 0, message));

    struct kgate_profile_results *results = kgate_profiler_results(NULL, message);
    REQUIRE(results != NULL);
    times_check(results, "scale", STEPS, false);
    times_check(results, "to device", STEPS, true);
    times_check(results, "beside a capture", 1, false);
    REQUIRE(results->losses.gpu_dropped == 0);
    kgate_profile_results_free(results);
    CUDA_CHECK(cudaStreamDestroy(stream));
    CUDA_CHECK(cudaStreamDestroy(other));
    CUDA_CHECK(cudaFree(x));
    CUDA_CHECK(cudaFreeHost(host));
    /* Ends the context before the profiler's own end, as many programs do. */
    CUDA_CHECK(cudaDeviceReset());
    return 0;
}
