#include "device/code/launch.cuh"
#include "transformer/blocks.h"

/* An error here stays CUDA's last error, and kg_device_good reports it. */
extern "C" void kg_blocks_copy(const struct kg_blocks_space *space, void *to, const void *from,
                               size_t bytes)
{
    (void)cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, (cudaStream_t)space->stream);
}

extern "C" void kg_blocks_fetch(const struct kg_blocks_space *space, void *to, const void *from,
                                size_t bytes)
{
    (void)cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, (cudaStream_t)space->stream);
}

extern "C" void kg_blocks_clear(const struct kg_blocks_space *space, void *memory, size_t bytes)
{
    (void)cudaMemsetAsync(memory, 0, bytes, (cudaStream_t)space->stream);
}
