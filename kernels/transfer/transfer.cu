#include "transfer/transfer.h"

#include "device/code/launch.cuh"

extern "C" void kg_transfer_start(const struct kg_transfer *transfer)
{
    cudaStream_t queue = (cudaStream_t)transfer->queue;
    if (transfer->source)
        (void)cudaMemcpyAsync(transfer->device, transfer->source, transfer->bytes,
                              cudaMemcpyHostToDevice, queue);
    if (transfer->destination)
        (void)cudaMemcpyAsync(transfer->destination, transfer->device, transfer->bytes,
                              cudaMemcpyDeviceToHost, queue);
}
