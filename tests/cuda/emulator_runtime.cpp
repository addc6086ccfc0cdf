#include <cstdlib>
#include <map>

#include "cuda/emulator_limits.h"

/* An H100, but for the number of processors: few, so that loops over the grid
 * turn more than once. */
enum : int {
    PROCESSORS = 4,
    THREADS_A_BLOCK = 1024,
    THREADS_A_BLOCK_DEEP = 64,
    THREADS_A_PROCESSOR = 2048,
    BLOCKS_A_PROCESSOR = 32,
    GRID_ROWS_MOST = 65535,
    SHARED_BYTES = 48 << 10,
    SHARED_BYTES_MOST = 227 << 10,
    SHARED_BYTES_A_PROCESSOR = 228 << 10,
    SHARED_BYTES_RESERVED = 1 << 10 /* the driver's own, for each block */
};

static cudaError_t last_error;

cudaError_t kg_emulated_failed(cudaError_t error)
{
    last_error = error;
    return error;
}

cudaError_t cudaPeekAtLastError()
{
    return last_error;
}

cudaError_t cudaGetLastError()
{
    const cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

static const struct {
    cudaError_t error;
    const char *name;
    const char *text;
} errors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection",
     "invalid copy direction for memcpy"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported",
     "operation not permitted when stream is capturing"},
    {cudaErrorStreamCaptureInvalidated, "cudaErrorStreamCaptureInvalidated",
     "operation failed due to a previous error during capture"},
    {cudaErrorStreamCaptureUnjoined, "cudaErrorStreamCaptureUnjoined",
     "capturing stream has unjoined work"},
    {cudaErrorStreamCaptureIsolation, "cudaErrorStreamCaptureIsolation",
     "dependency created on uncaptured work in another stream"},
};

const char *cudaGetErrorName(cudaError_t error)
{
    for (const auto &row : errors)
        if (row.error == error)
            return row.name;
    return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
    for (const auto &row : errors)
        if (row.error == error)
            return row.text;
    return "unrecognized error code";
}

/* --- Copies -------------------------------------------------------------------------------- */
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
        return kg_emulated_failed(cudaErrorInvalidMemcpyDirection);
    return kg_emulated_put(stream, [=] {
        if (bytes)
            memcpy(to, from, bytes);
    });
}

cudaError_t cudaMemsetAsync(void *to, int byte, size_t bytes, cudaStream_t stream)
{
    return kg_emulated_put(stream, [=] {
        if (bytes)
            memset(to, byte, bytes);
    });
}

/* --- Memory
 * ---------------------------------------------------------------------------------------- */
cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    if (posix_memalign(memory, 256, bytes ? bytes : 1) != 0)
        return kg_emulated_failed(cudaErrorMemoryAllocation);
    memset(*memory, 0xff, bytes);
    return cudaSuccess;
}

cudaError_t cudaFree(void *memory)
{
    free(memory);
    return cudaSuccess;
}

/* --- The device
 * ------------------------------------------------------------------------------------ */
cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device)
{
    static const struct {
        cudaDeviceAttr attribute;
        int value;
    } attributes[] = {
        {cudaDevAttrMaxThreadsPerBlock, THREADS_A_BLOCK},
        {cudaDevAttrMaxSharedMemoryPerBlock, SHARED_BYTES},
        {cudaDevAttrWarpSize, warpSize},
        {cudaDevAttrMultiProcessorCount, PROCESSORS},
        {cudaDevAttrL2CacheSize, 50 << 20},
        {cudaDevAttrMaxThreadsPerMultiProcessor, THREADS_A_PROCESSOR},
        {cudaDevAttrComputeCapabilityMajor, 9},
        {cudaDevAttrComputeCapabilityMinor, 0},
        {cudaDevAttrMaxSharedMemoryPerMultiprocessor, SHARED_BYTES_A_PROCESSOR},
        {cudaDevAttrMaxSharedMemoryPerBlockOptin, SHARED_BYTES_MOST},
    };
    for (const auto &row : attributes)
        if (device == 0 && row.attribute == attribute) {
            *value = row.value;
            return cudaSuccess;
        }
    return kg_emulated_failed(cudaErrorInvalidValue);
}

/* --- What a kernel may ask for
 * ---------------------------------------------------------------------- */
/* Kernels that were allowed more than the usual dynamic shared memory. */
static std::map<const void *, size_t> &shared_limits()
{
    static std::map<const void *, size_t> limits;
    return limits;
}

static size_t attribute_calls;
static bool attributes_refused;

size_t kg_emulated_function_attributes()
{
    return attribute_calls;
}

void kg_emulated_function_attributes_refuse(bool refused)
{
    attributes_refused = refused;
}

cudaError_t kg_emulated_function_attribute(const void *kernel, cudaFuncAttribute attribute,
                                           int value)
{
    attribute_calls++;
    if (attributes_refused)
        return kg_emulated_failed(cudaErrorInvalidValue);
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout)
        return value >= -1 && value <= 100 ? cudaSuccess
                                           : kg_emulated_failed(cudaErrorInvalidValue);
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 ||
        value > SHARED_BYTES_MOST)
        return kg_emulated_failed(cudaErrorInvalidValue);
    shared_limits()[kernel] = static_cast<size_t>(value);
    return cudaSuccess;
}

static size_t shared_limit(const void *kernel)
{
    const auto found = shared_limits().find(kernel);
    return found != shared_limits().end() ? found->second : static_cast<size_t>(SHARED_BYTES);
}

cudaError_t kg_emulated_occupancy(int *blocks, int threads, size_t shared_bytes)
{
    if (threads <= 0 || threads > THREADS_A_BLOCK)
        return kg_emulated_failed(cudaErrorInvalidValue);
    const int by_threads = THREADS_A_PROCESSOR / ((threads + warpSize - 1) / warpSize * warpSize);
    const int by_shared =
        static_cast<int>(SHARED_BYTES_A_PROCESSOR / (shared_bytes + SHARED_BYTES_RESERVED));
    *blocks = min(min(by_threads, by_shared), static_cast<int>(BLOCKS_A_PROCESSOR));
    return cudaSuccess;
}

bool kg_emulated_launch_allowed(const void *kernel, dim3 grid, dim3 threads, size_t shared_bytes,
                                cudaStream_t stream)
{
    const bool grid_fits = grid.x && grid.y && grid.z && grid.x <= INT32_MAX &&
                           grid.y <= GRID_ROWS_MOST && grid.z <= GRID_ROWS_MOST;
    const bool block_fits =
        threads.x && threads.y && threads.z && threads.x <= THREADS_A_BLOCK &&
        threads.y <= THREADS_A_BLOCK && threads.z <= THREADS_A_BLOCK_DEEP &&
        static_cast<uint64_t>(threads.x) * threads.y * threads.z <= THREADS_A_BLOCK;
    if (!kg_emulated_stream_known(stream))
        kg_emulated_failed(cudaErrorInvalidResourceHandle);
    else if (!grid_fits || !block_fits)
        kg_emulated_failed(cudaErrorInvalidConfiguration);
    else if (shared_bytes > shared_limit(kernel))
        kg_emulated_failed(cudaErrorInvalidValue);
    else
        return true;
    return false;
}
