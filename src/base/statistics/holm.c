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

void kg_holm_adjust(double *p, size_t n, size_t others)
{
    struct entry *entries = kg_alloc(n ? n : 1, sizeof *entries);
    size_t tested = 0;
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(p[i]))
            entries[tested++] = (struct entry){p[i], i};
    qsort(entries, tested, sizeof *entries, by_p);
    for (size_t k = 0; k < tested; k++) {
        /* at least the p-value before it, so that the order of the p-values stays */
        largest = fmax(largest, fmin(1, (double)(tested - k + others) * entries[k].p));
        p[entries[k].index] = largest;
    }
    free(entries);
}
