#include "profiler/record/ticks.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum kg_clock_source kg_ticks_source = KG_CLOCK_MONOTONIC;

/* The kernel compares the counters of all processors with other clocks. It stops using a counter that
 * drifts or stops, so its judgement is better than the processor's flags. */
static enum kg_clock_source source_choose(void)
{
#if defined(__x86_64__)
    char name[16] = "";
    const int file = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                          O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return KG_CLOCK_MONOTONIC;
    const ssize_t length = read(file, name, sizeof name - 1);
    close(file);
    return length >= 4 && !strncmp(name, "tsc\n", 4) ? KG_CLOCK_TSC : KG_CLOCK_MONOTONIC;
#elif defined(__aarch64__)
    return KG_CLOCK_CNTVCT;
#else
    return KG_CLOCK_MONOTONIC;
#endif
}

void kg_ticks_start(void)
{
    kg_ticks_source = source_choose();
}

void kg_ticks_pair(uint64_t *ticks, uint64_t *clock_ns)
{
    uint64_t closest = UINT64_MAX;
    for (int i = 0; i < 5; i++) {
        const uint64_t before = kg_ticks(), now = kg_monotonic_ns(), after = kg_ticks();
        if (after - before >= closest)
            continue;
        closest = after - before;
        *ticks = before + (after - before) / 2;
        *clock_ns = now;
    }
}

double kg_ticks_estimate(void)
{
    uint64_t ticks, clock_ns, ticks_later, clock_later_ns;
    if (kg_ticks_source == KG_CLOCK_MONOTONIC)
        return 1;
    kg_ticks_pair(&ticks, &clock_ns);
    do
        kg_ticks_pair(&ticks_later, &clock_later_ns);
    while (clock_later_ns - clock_ns < 200000 || ticks_later == ticks);
    return (double)(clock_later_ns - clock_ns) / (double)(ticks_later - ticks);
}
