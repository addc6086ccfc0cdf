#include <string.h>

#include "histogram/histogram.h"

/* 0 plain: one table, a byte after the other. A count that is raised twice in a row waits until it
 * was stored. */
void kg_histogram_plain(void *state)
{
    const struct kg_histogram *histogram = state;
    const unsigned char *bytes = (const unsigned char *)histogram->words;
    memset(histogram->counts, 0, KG_HISTOGRAM_BINS * sizeof *histogram->counts);
    for (size_t i = 0; i < 8 * histogram->n; i++)
        histogram->counts[bytes[i]]++;
}

/* Four tables, so that equal bytes side by side raise different counts. */
static void words_count(const uint64_t *words, size_t n, uint32_t table[4][KG_HISTOGRAM_BINS])
{
    for (size_t i = 0; i < n; i++)
        for (unsigned at = 0; at < 8; at++)
            table[at % 4][words[i] >> 8 * at & 0xff]++;
}

/* 1 fast: all threads, each with tables of its own, which are added up in the end. */
void kg_histogram_fast(void *state)
{
    const struct kg_histogram *histogram = state;
    const size_t n = histogram->n, parts = (size_t)histogram->call.threads;
    uint32_t *counts = histogram->counts;
    memset(counts, 0, KG_HISTOGRAM_BINS * sizeof *counts);
#pragma omp parallel for num_threads(histogram->call.threads) schedule(static)
    for (size_t p = 0; p < parts; p++) {
        uint32_t table[4][KG_HISTOGRAM_BINS] = {{0}};
        const size_t start = p * n / parts, end = (p + 1) * n / parts;
        words_count(histogram->words + start, end - start, table);
#pragma omp critical(kg_histogram)
        for (size_t value = 0; value < KG_HISTOGRAM_BINS; value++)
            counts[value] += table[0][value] + table[1][value] + table[2][value] + table[3][value];
    }
}
