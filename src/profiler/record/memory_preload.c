/* libkgate_memory.so: preloaded, reports every allocation to the profiler. It calls glibc's allocator
 * by glibc's second names for malloc and the like. So it needs no symbol lookup, which would itself
 * allocate. */
#include <errno.h>
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>

/* Weak: a program without the profiler runs as ever. */
extern void kgate_memory_allocated(uint64_t bytes) __attribute__((weak));
extern void kgate_memory_released(uint64_t bytes) __attribute__((weak));

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);
extern void __libc_free(void *memory);

#define EXPORTED __attribute__((visibility("default")))

static void *allocated(void *memory)
{
    if (memory && kgate_memory_allocated)
        kgate_memory_allocated(malloc_usable_size(memory));
    return memory;
}

EXPORTED void *malloc(size_t bytes)
{
    return allocated(__libc_malloc(bytes));
}

EXPORTED void *calloc(size_t count, size_t size)
{
    return allocated(__libc_calloc(count, size));
}

EXPORTED void *realloc(void *memory, size_t bytes)
{
    const size_t before = memory ? malloc_usable_size(memory) : 0;
    void *moved = __libc_realloc(memory, bytes);
    /* Asked for no bytes, realloc frees and gives NULL; else NULL means that the old block
     * stays. */
    if (memory && (moved || !bytes) && kgate_memory_released)
        kgate_memory_released(before);
    return allocated(moved);
}

EXPORTED void *memalign(size_t alignment, size_t bytes)
{
    return allocated(__libc_memalign(alignment, bytes));
}

EXPORTED void *aligned_alloc(size_t alignment, size_t bytes)
{
    return allocated(__libc_memalign(alignment, bytes));
}

EXPORTED int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    if (alignment % sizeof(void *) || (alignment & (alignment - 1)) != 0 || !alignment)
        return EINVAL;
    void *made = allocated(__libc_memalign(alignment, bytes));
    if (!made)
        return ENOMEM;
    *memory = made;
    return 0;
}

EXPORTED void free(void *memory)
{
    if (memory && kgate_memory_released)
        kgate_memory_released(malloc_usable_size(memory));
    __libc_free(memory);
}
