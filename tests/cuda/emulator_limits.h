/* emulator_limits.h: what the emulated device allows, and how it says so. */
#pragma once
#include "cuda/emulator.h"

/* Whether CUDA would take the launch; where not, the last error says why. */
bool kg_emulated_launch_allowed(const void *kernel, dim3 grid, dim3 threads, size_t shared_bytes,
                                cudaStream_t stream);

/* Keeps the error for cudaGetLastError, and returns it. */
cudaError_t kg_emulated_failed(cudaError_t error);
