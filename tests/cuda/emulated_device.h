/* emulated_device.h: the emulator, which is C++, for the tests' harness in C. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

void *emulated_stream(void);
/* Seeds the order of blocks and threads. */
void emulated_order(uint64_t seed);

/* Number of kernels' attributes set so far. */
size_t emulated_attributes(void);
/* Whether setting an attribute fails from here on. Clears CUDA's last error. */
void emulated_attributes_refuse(bool refused);

/* Records the work of `run` on the stream as a CUDA graph, as kgate does, launches the graph, and
 * destroys it. False if it cannot be recorded. */
bool emulated_record(void (*run)(void *state), void *state);

/* CUDA's last error; "cudaSuccess" if nothing failed. Clears it. */
const char *emulated_error(void);

/* Tells AddressSanitizer, if present, that the bytes are forbidden, or allowed again. */
void emulated_poison(void *memory, size_t bytes);
void emulated_unpoison(void *memory, size_t bytes);

#ifdef __cplusplus
}
#endif
