/* histogram.h: how durations are spread, in bounded memory: counts by octave and by 64ths of it, so
 * that any value is known within 0.8 %. Not thread-safe. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum {
    KG_HISTOGRAM_PARTS = 64,   /* of an octave */
    KG_HISTOGRAM_OCTAVES = 64, /* from 1/16 of the unit up */
    KG_HISTOGRAM_LOWEST = -4,  /* exponent of the first octave */
};

/* Zero-initialise before first use. Octaves without values take no memory. */
struct kg_histogram {
    uint64_t *octaves[KG_HISTOGRAM_OCTAVES];
    uint64_t count;
};

/* Adds a value, not NaN. What is below the first octave counts as its beginning, what is above the
 * last as its end. false: memory is out. */
bool kg_histogram_add(struct kg_histogram *histogram, double value);
/* Adds all values of `more`. */
bool kg_histogram_merge(struct kg_histogram *histogram, const struct kg_histogram *more);

/* Quantile p, 0 to 1, by linear interpolation between the two nearest values (Hyndman and Fan 1996,
 * type 7), within 1 % of that of the values themselves; 0 where there are none. */
double kg_histogram_quantile(const struct kg_histogram *histogram, double p);
void kg_histogram_free(struct kg_histogram *histogram);
