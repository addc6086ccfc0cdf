#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics/stats.h"

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void kg_sort(double *x, size_t n)
{
    /* Rounds are few: insertion beats the calls that qsort makes. */
    if (n > 64) {
        qsort(x, n, sizeof *x, ascending);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        const double value = x[i];
        size_t j = i;
        for (; j > 0 && x[j - 1] > value; j--)
            x[j] = x[j - 1];
        x[j] = value;
    }
}

double kg_quantile_sorted(const double *x, size_t n, double p)
{
    if (n == 0 || !(p >= 0 && p <= 1))
        return NAN;
    const double position = p * (double)(n - 1);
    const size_t below = (size_t)position;
    if (below + 1 >= n)
        return x[n - 1];
    return x[below] + (position - (double)below) * (x[below + 1] - x[below]);
}

double kg_median_sorted(const double *x, size_t n)
{
    return kg_quantile_sorted(x, n, 0.5);
}

double kg_median_of(const double *x, size_t n, double *scratch)
{
    if (n)
        memcpy(scratch, x, n * sizeof *x);
    kg_sort(scratch, n);
    return kg_median_sorted(scratch, n);
}

double kg_mean(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return n ? sum / (double)n : NAN;
}

double kg_standard_deviation(const double *x, size_t n)
{
    if (n < 2)
        return NAN;
    const double mean = kg_mean(x, n);
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (x[i] - mean) * (x[i] - mean);
    return sqrt(sum / (double)(n - 1));
}

double kg_log_deviation(const double *x, size_t n)
{
    double sum = 0, squares = 0;
    if (n < 2)
        return NAN;
    for (size_t i = 0; i < n; i++)
        sum += log(x[i]);
    for (size_t i = 0; i < n; i++)
        squares += pow(log(x[i]) - sum / (double)n, 2);
    return sqrt(squares / (double)(n - 1));
}
