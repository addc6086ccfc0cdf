#include "cuda/emulated_device.h"

#include "cuda/emulator.h"
#include "cuda/sanitizer.h"

#ifdef KG_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#endif

extern "C" void *emulated_stream(void)
{
    return kg_emulated_stream();
}

extern "C" void emulated_order(uint64_t seed)
{
    kg_emulated_seed(seed);
}

extern "C" size_t emulated_attributes(void)
{
    return kg_emulated_function_attributes();
}

extern "C" void emulated_attributes_refuse(bool refused)
{
    kg_emulated_function_attributes_refuse(refused);
    (void)cudaGetLastError();
}

extern "C" bool emulated_record(void (*run)(void *state), void *state)
{
    cudaStream_t stream = kg_emulated_stream();
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    (void)cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    run(state);
    if (cudaStreamEndCapture(stream, &graph) != cudaSuccess)
        return false;
    (void)cudaGraphInstantiateWithFlags(&executable, graph, 0);
    (void)cudaGraphDestroy(graph);
    (void)cudaGraphLaunch(executable, stream);
    (void)cudaStreamSynchronize(stream);
    (void)cudaGraphExecDestroy(executable);
    return true;
}

extern "C" const char *emulated_error(void)
{
    return cudaGetErrorName(cudaGetLastError());
}

extern "C" void emulated_poison(void *memory, size_t bytes)
{
#ifdef KG_ADDRESS_SANITIZER
    __asan_poison_memory_region(memory, bytes);
#else
    (void)memory, (void)bytes;
#endif
}

extern "C" void emulated_unpoison(void *memory, size_t bytes)
{
#ifdef KG_ADDRESS_SANITIZER
    __asan_unpoison_memory_region(memory, bytes);
#else
    (void)memory, (void)bytes;
#endif
}
