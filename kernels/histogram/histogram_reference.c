#include <string.h>

#include "histogram/histogram.h"

void kg_histogram_reference(const struct kg_histogram *histogram, uint64_t *counts)
{
    memset(counts, 0, KG_HISTOGRAM_BINS * sizeof *counts);
    for (size_t i = 0; i < histogram->n; i++)
        for (unsigned bit = 0; bit < 64; bit += 8)
            counts[histogram->words[i] >> bit & 0xff]++;
}
