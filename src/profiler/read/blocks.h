/* blocks.h: the means of consecutive parts of a series whose length is not known beforehand. Not
 * thread-safe. */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* Parts that are held: eight for each block that is given, so that blocks are of nearly equal
 * counts. */
enum { KG_BLOCK_PARTS = 80 };

/* Zero-initialise before first use. */
struct kg_blocks {
    double sums[KG_BLOCK_PARTS];
    size_t used;        /* parts with values */
    uint64_t part_size; /* values in each but the last */
    uint64_t last_size; /* values in the last */
};

void kg_blocks_add(struct kg_blocks *blocks, double value);

/* The means of up to `most` (at most KG_BLOCK_PARTS / 2) consecutive blocks, into `means`; of fewer
 * values than that, each is one.
 * returns how many: 0 where there were no values */
size_t kg_blocks_means(const struct kg_blocks *blocks, size_t most, double *means);
