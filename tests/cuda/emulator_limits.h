/* emulator_limits.h: the limits of the emulated device, and its errors. */
#pragma once
#include "cuda/emulator.h"

/* Whether CUDA would accept the launch. If not, the last error has the reason. */
bool kg_emulated_launch_allowed(const void *kernel, dim3 grid, dim3 threads, size_t shared_bytes,
                                cudaStream_t stream);

/* Keeps the error for cudaGetLastError, and returns it. */
cudaError_t kg_emulated_failed(cudaError_t error);
