#include "profiler/read/profile_sum.h"

/* Two parts become one, and there is room again. */
static void pair(struct kg_blocks *blocks)
{
    for (size_t i = 0; i < KG_BLOCK_PARTS / 2; i++)
        blocks->sums[i] = blocks->sums[2 * i] + blocks->sums[2 * i + 1];
    blocks->used = KG_BLOCK_PARTS / 2;
    blocks->part_size *= 2;
    blocks->last_size = blocks->part_size;
}

void kg_blocks_add(struct kg_blocks *blocks, double value)
{
    if (blocks->last_size == blocks->part_size) {
        if (!blocks->used)
            blocks->part_size = 1;
        if (blocks->used == KG_BLOCK_PARTS)
            pair(blocks);
        blocks->sums[blocks->used++] = 0;
        blocks->last_size = 0;
    }
    blocks->sums[blocks->used - 1] += value;
    blocks->last_size++;
}

size_t kg_blocks_means(const struct kg_blocks *blocks, size_t most, double *means)
{
    const size_t parts = blocks->used, count = parts < most ? parts : most;
    for (size_t block = 0; block < count; block++) {
        const size_t begin = block * parts / count, end = (block + 1) * parts / count;
        uint64_t values = (end - begin) * blocks->part_size;
        if (end == parts)
            values -= blocks->part_size - blocks->last_size;
        double sum = 0;
        for (size_t part = begin; part < end; part++)
            sum += blocks->sums[part];
        means[block] = sum / (double)values;
    }
    return count;
}
