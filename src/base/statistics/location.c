/* The trimmed mean and its variance (Tukey and McLaughlin 1963, Yuen 1974). A fifth of the values
 * is left out at each end, so that single outliers have no weight. The variance comes from
 * winsorised values: the nearest kept value replaces each value left out. Fewer than seven values
 * are too few to leave any out. */
#include <math.h>

#include "base/statistics/stats.h"

enum { TRIMMED_LEAST = 7, TRIMMED_PART = 5 };

static size_t trimmed(size_t n)
{
    return n < TRIMMED_LEAST ? 0 : n / TRIMMED_PART;
}

double kg_location_kept(size_t n)
{
    return (double)(n - 2 * trimmed(n));
}

struct kg_location kg_location_find(const double *x, size_t n)
{
    struct kg_location location = {NAN, NAN, 0, 0};
    const size_t out = trimmed(n);
    const size_t kept = n - 2 * out;
    if (!n)
        return location;
    location.value = kg_mean(x + out, kept);
    location.count = (double)kept;
    location.freedom = (double)kept - 1;
    if (kept < 2)
        return location;
    double mean = (double)out * (x[out] + x[n - 1 - out]), squares = 0;
    for (size_t i = out; i < n - out; i++)
        mean += x[i];
    mean /= (double)n;
    for (size_t i = 0; i < n; i++) {
        const double value = x[i < out ? out : i >= n - out ? n - 1 - out : i];
        squares += (value - mean) * (value - mean);
    }
    location.variance = squares / location.freedom;
    return location;
}

struct kg_location kg_log_location(const double *values, size_t n, double *logs)
{
    for (size_t i = 0; i < n; i++)
        logs[i] = log(values[i]);
    kg_sort(logs, n);
    return kg_location_find(logs, n);
}
