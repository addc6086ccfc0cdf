/* nvtx.h: the same scopes as NVTX ranges, so that Nsight Systems shows their names. Without the
 * NVTX header at build time nothing is emitted. Thread-safe. */
#pragma once
#include <stdbool.h>

/* Whether to emit ranges: on request, or if a tool has announced itself in the environment
 * (NVTX_INJECTION64_PATH). Always false in a build without NVTX. */
bool kg_nvtx_wanted(bool asked);

/* Begins and ends a range on the calling thread. */
void kg_nvtx_push(const char *name);
void kg_nvtx_pop(void);
