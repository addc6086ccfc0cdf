/* emulated_device.h: what the tests' harness, which is C, needs of the emulator, which is C++. */
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

/* How many attributes of kernels were set so far. */
size_t emulated_attributes(void);
/* From here on, setting one fails, or no longer does; CUDA remembers no error. */
void emulated_attributes_refuse(bool refused);

/* Records what `run` puts on the stream as a CUDA graph, as kgate does, launches that, and forgets
 * it. false where it cannot be recorded. */
bool emulated_record(void (*run)(void *state), void *state);

/* What CUDA has remembered; "cudaSuccess" where nothing failed. It is forgotten. */
const char *emulated_error(void);

/* AddressSanitizer, where there is one, is told that nobody may touch the
 * bytes; and that one may. */
void emulated_poison(void *memory, size_t bytes);
void emulated_unpoison(void *memory, size_t bytes);

#ifdef __cplusplus
}
#endif
