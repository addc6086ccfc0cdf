#include "base/clock.h"

#include "base/statistics/stats.h"

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

double kg_pulse_ns(void)
{
    uint64_t product = 1;
    const uint64_t start = kg_clock_ns();
    for (int i = 0; i < KG_PULSE_PRODUCTS; i++) {
        product *= UINT64_C(0x9e3779b97f4a7c15);
        /* The core must compute each product, and only after the one before. With additions neither
         * is sure: newer cores fold chains of additions before execution. */
        __asm__ volatile("" : "+r"(product));
    }
    return (double)(kg_clock_ns() - start);
}
