#include <stdint.h>

#include "loops.h"

/* 8 MiB: more than a core's own caches. */
enum { ARRAY_COUNT = 1 << 20 };
static uint64_t array[ARRAY_COUNT];

void work_arithmetic(unsigned length)
{
    static volatile uint64_t result;
    uint64_t value = result | 1;
    for (unsigned i = 0; i < length; i++) {
        value *= UINT64_C(6364136223846793005);
        __asm__ volatile("" : "+r"(value));
    }
    result = value;
}

void work_memory(unsigned length)
{
    static uint64_t at;
    uint64_t sum = 0;
    for (unsigned i = 0; i < length; i++) {
        sum += array[(at + i * UINT64_C(8)) % ARRAY_COUNT]; /* a cache line each */
        __asm__ volatile("" : "+r"(sum));
    }
    at = (at + length * UINT64_C(8)) % ARRAY_COUNT;
}
