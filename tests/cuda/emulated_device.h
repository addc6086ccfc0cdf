/* emulated_device.h: what the tests' harness, which is C, needs of the emulator, which is C++. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

void *emulated_stream(void);
/* Seeds the order of blocks and threads. */
void emulated_order(uint64_t seed);

/* AddressSanitizer, where there is one, is told that nobody may touch the bytes; and that one may.
 */
void emulated_poison(void *memory, size_t bytes);
void emulated_unpoison(void *memory, size_t bytes);

#ifdef __cplusplus
}
#endif
