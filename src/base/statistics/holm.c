#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/statistics/stats.h"

struct entry {
    double p;
    size_t index;
};

static int by_p(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return (x->p > y->p) - (x->p < y->p);
}

/* The p-values that are numbers, ascending; the caller frees them. */
static struct entry *entries_sorted(const double *p, size_t n, size_t *tested)
{
    struct entry *entries = kg_alloc(n ? n : 1, sizeof *entries);
    *tested = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(p[i]))
            entries[(*tested)++] = (struct entry){p[i], i};
    qsort(entries, *tested, sizeof *entries, by_p);
    return entries;
}

void kg_holm_adjust(double *p, size_t n, size_t others)
{
    size_t tested;
    struct entry *entries = entries_sorted(p, n, &tested);
    double largest = 0;
    for (size_t k = 0; k < tested; k++) {
        /* at least the p-value before it, so that the order of the p-values stays */
        largest = fmax(largest, fmin(1, (double)(tested - k + others) * entries[k].p));
        p[entries[k].index] = largest;
    }
    free(entries);
}

void kg_benjamini_hochberg_adjust(double *p, size_t n)
{
    size_t tested;
    struct entry *entries = entries_sorted(p, n, &tested);
    double smallest = 1;
    for (size_t k = tested; k-- > 0;) {
        smallest = fmin(smallest, (double)tested / (double)(k + 1) * entries[k].p);
        p[entries[k].index] = smallest;
    }
    free(entries);
}
