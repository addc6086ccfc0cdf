/* emulator_limits.h: what the emulated device allows. */
#pragma once
#include "cuda/emulator.h"

/* Whether CUDA would take the launch; where not, the last error says why. */
bool kg_emulated_launch_allowed(const void *kernel, dim3 grid, dim3 threads, size_t shared_bytes,
                                cudaStream_t stream);
