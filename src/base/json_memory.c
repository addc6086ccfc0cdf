#include "base/json_memory.h"

#include <jansson.h>
#include <pthread.h>
#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { RESERVE_BYTES = 16384 };

struct reserve {
    alignas(max_align_t) char bytes[RESERVE_BYTES];
    size_t used;
    bool parsing;
    bool failed;
};
static _Thread_local struct reserve reserve;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Given out once: what is parsed with it is thrown away. */
static void *reserve_take(size_t size)
{
    const size_t rounded =
        (size + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
    if (size > RESERVE_BYTES || rounded > RESERVE_BYTES - reserve.used)
        return NULL;
    void *memory = reserve.bytes + reserve.used;
    reserve.used += rounded;
    return memory;
}

/* Of a string that does not fit jansson asks again for each of its bytes: once is enough. */
static bool is_hopeless(size_t size)
{
    return reserve.parsing && reserve.failed && size > RESERVE_BYTES;
}

static void *allocate(size_t size)
{
    void *memory = is_hopeless(size) ? NULL : malloc(size);
    if (memory || !reserve.parsing)
        return memory;
    reserve.failed = true;
    return reserve_take(size);
}

static void release(void *memory)
{
    const uintptr_t start = (uintptr_t)reserve.bytes, at = (uintptr_t)memory;
    if (at < start || at >= start + RESERVE_BYTES)
        free(memory);
}

static void allocator_set(void)
{
    json_set_alloc_funcs(allocate, release);
}

void kg_json_memory_begin(void)
{
    pthread_once(&once, allocator_set);
    reserve.parsing = true;
    reserve.failed = false;
    reserve.used = 0;
}

bool kg_json_memory_failed(void)
{
    reserve.parsing = false;
    return reserve.failed;
}
