#include "profiler/read/profile_sum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { EXPONENT_BIAS = 1023, MANTISSA_BITS = 52, PART_BITS = 6 };
static const double LEAST = 0x1p-4; /* two to the KG_HISTOGRAM_LOWEST */
_Static_assert(1 << PART_BITS == KG_HISTOGRAM_PARTS, "parts are the mantissa's first bits");

/* The number of a value's place: octave * parts + part. The bits of a double are that number, except
 * for the offset `first`. */
static unsigned place_of(double value)
{
    const unsigned last = KG_HISTOGRAM_OCTAVES * KG_HISTOGRAM_PARTS - 1;
    const unsigned first = (EXPONENT_BIAS + KG_HISTOGRAM_LOWEST) * KG_HISTOGRAM_PARTS;
    uint64_t bits;
    if (!(value >= LEAST))
        return 0;
    memcpy(&bits, &value, sizeof bits);
    const unsigned place = (unsigned)(bits >> (MANTISSA_BITS - PART_BITS)) - first;
    return place < last ? place : last;
}

/* The middle of a place. */
static double value_at(unsigned place)
{
    const unsigned octave = place / KG_HISTOGRAM_PARTS, part = place % KG_HISTOGRAM_PARTS;
    return ldexp(1 + (part + 0.5) / KG_HISTOGRAM_PARTS, (int)octave + KG_HISTOGRAM_LOWEST);
}

static uint64_t *octave_of(struct kg_histogram *histogram, unsigned octave)
{
    if (!histogram->octaves[octave])
        histogram->octaves[octave] = kg_alloc(KG_HISTOGRAM_PARTS, sizeof(uint64_t));
    return histogram->octaves[octave];
}

bool kg_histogram_add(struct kg_histogram *histogram, double value)
{
    const unsigned place = place_of(value);
    uint64_t *octave = octave_of(histogram, place / KG_HISTOGRAM_PARTS);
    if (!octave)
        return false;
    octave[place % KG_HISTOGRAM_PARTS]++;
    histogram->count++;
    return true;
}

bool kg_histogram_merge(struct kg_histogram *histogram, const struct kg_histogram *more)
{
    for (unsigned i = 0; i < KG_HISTOGRAM_OCTAVES; i++) {
        if (!more->octaves[i])
            continue;
        uint64_t *octave = octave_of(histogram, i);
        if (!octave)
            return false;
        for (unsigned part = 0; part < KG_HISTOGRAM_PARTS; part++)
            octave[part] += more->octaves[i][part];
    }
    histogram->count += more->count;
    return true;
}

/* The value of a rank from 0, and in *more how many values of higher ranks share its place. */
static double ranked(const struct kg_histogram *histogram, uint64_t rank, uint64_t *more)
{
    uint64_t below = 0;
    for (unsigned place = 0; place < KG_HISTOGRAM_OCTAVES * KG_HISTOGRAM_PARTS; place++) {
        const uint64_t *octave = histogram->octaves[place / KG_HISTOGRAM_PARTS];
        if (!octave) {
            place += KG_HISTOGRAM_PARTS - 1;
            continue;
        }
        below += octave[place % KG_HISTOGRAM_PARTS];
        *more = below - rank - 1;
        if (below > rank)
            return value_at(place);
    }
    return 0;
}

double kg_histogram_quantile(const struct kg_histogram *histogram, double p)
{
    if (!histogram->count)
        return 0;
    const double position = p * (double)(histogram->count - 1);
    const uint64_t rank = (uint64_t)position;
    const double beyond = position - (double)rank;
    uint64_t more = 0, ignored;
    const double low = ranked(histogram, rank, &more);
    if (beyond == 0 || more || rank + 1 >= histogram->count)
        return low;
    return low + beyond * (ranked(histogram, rank + 1, &ignored) - low);
}

void kg_histogram_free(struct kg_histogram *histogram)
{
    for (unsigned i = 0; i < KG_HISTOGRAM_OCTAVES; i++)
        free(histogram->octaves[i]);
    *histogram = (struct kg_histogram){0};
}
