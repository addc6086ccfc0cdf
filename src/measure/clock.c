#include "measure/clock.h"

#include "stats/stats.h"

double kg_clock_resolution_ns(void)
{
    enum { READINGS = 301 };
    double step[READINGS];
    for (int i = 0; i < READINGS; i++) {
        const uint64_t start = kg_clock_ns();
        uint64_t end = kg_clock_ns();
        while (end == start)
            end = kg_clock_ns();
        step[i] = (double)(end - start);
    }
    kg_sort(step, READINGS);
    const double median = kg_median_sorted(step, READINGS);
    return median < 1 ? 1 : median;
}
