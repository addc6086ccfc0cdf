#include "common/common.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

bool kg_kernel_refuse(struct kgate_context *context, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(context->message, sizeof context->message, format, args);
    va_end(args);
    return false;
}

uint64_t kg_array_bytes(int64_t a, int64_t b, uint64_t size)
{
    const uint64_t rows = (uint64_t)a, columns = (uint64_t)b;
    if (rows > KG_ARRAY_BYTES_MOST / size || columns > KG_ARRAY_BYTES_MOST / size / rows)
        return 0;
    return rows * columns * size;
}

struct kg_random kg_check_random(uint64_t seed, uint64_t use)
{
    const char *drawn = getenv("KGATE_CHECK_SEED");
    struct kg_random random = {drawn ? strtoull(drawn, NULL, 10) : seed};
    random.state = kg_random_next(&random) + use;
    return random;
}

/* Blocks have seeds of their own, so that the threads that share the work do not show. */
enum { BLOCK = 4096 };

static struct kg_random block_random(uint64_t seed, size_t block)
{
    struct kg_random random = {seed * UINT64_C(0xd1342543de82ef95) + block};
    random.state = kg_random_next(&random);
    return random;
}

static size_t block_end(size_t block, size_t n)
{
    const size_t end = (block + 1) * BLOCK;
    return end < n ? end : n;
}

/* Has the system make the pages of memory that one thread is about to fill: one call takes half as
 * long as page faults. Several threads touch their own pages instead, each on its node. An old
 * kernel refuses the call; page faults follow. */
static void pages_make(void *memory, size_t bytes, unsigned threads)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t start = (uintptr_t)memory, skip = -start % page;
    if (threads == 1 && bytes > skip)
        madvise((char *)memory + skip, (bytes - skip) / page * page, MADV_POPULATE_WRITE);
}

void kg_fill_floats(float *x, size_t n, uint64_t seed, unsigned threads)
{
    pages_make(x, n * sizeof *x, threads);
#pragma omp parallel for num_threads((int)threads) schedule(static)
    for (size_t block = 0; block < (n + BLOCK - 1) / BLOCK; block++) {
        struct kg_random random = block_random(seed, block);
        for (size_t i = block * BLOCK; i < block_end(block, n); i++)
            x[i] = (float)((double)(int64_t)kg_random_next(&random) * 0x1p-63);
    }
}

void kg_fill_words(uint64_t *x, size_t n, uint64_t seed, unsigned threads)
{
    pages_make(x, n * sizeof *x, threads);
#pragma omp parallel for num_threads((int)threads) schedule(static)
    for (size_t block = 0; block < (n + BLOCK - 1) / BLOCK; block++) {
        struct kg_random random = block_random(seed, block);
        for (size_t i = block * BLOCK; i < block_end(block, n); i++)
            x[i] = kg_random_next(&random);
    }
}

void kg_fill_blank(void *memory, size_t bytes, unsigned threads)
{
    enum { BLOCK_BYTES = BLOCK * sizeof(float) };
    pages_make(memory, bytes, threads);
#pragma omp parallel for num_threads((int)threads) schedule(static)
    for (size_t at = 0; at < bytes; at += BLOCK_BYTES)
        memset((char *)memory + at, 0xff, bytes - at < BLOCK_BYTES ? bytes - at : BLOCK_BYTES);
}
