/* The independent loop: no part of kgate, a clock and an array.
 *   truth_plain WORK SIZE SECONDS   prints the median time of a call in ns
 *   truth_plain WORK SIZE           makes one call: a command to be timed */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "work.h"

enum { SAMPLES_MOST = 1 << 20 };
static const double SAMPLE_NS = 50e3, WARM_UP_NS = 50e6;

static double now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double batch_ns(const struct truth_work *work, uint64_t size, uint64_t calls)
{
    const double start = now_ns();
    for (uint64_t i = 0; i < calls; i++)
        work->run(size);
    return now_ns() - start;
}

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static double median_ns(const struct truth_work *work, uint64_t size, double seconds)
{
    static double samples[SAMPLES_MOST];
    const double begun = now_ns();
    size_t count = 0;
    uint64_t calls = 1;
    while (batch_ns(work, size, calls) < SAMPLE_NS)
        calls *= 2;
    while (now_ns() - begun < WARM_UP_NS)
        batch_ns(work, size, calls);
    const double end = now_ns() + seconds * 1e9;
    do
        samples[count++] = batch_ns(work, size, calls) / (double)calls;
    while (count < SAMPLES_MOST && now_ns() < end);
    qsort(samples, count, sizeof *samples, ascending);
    return count % 2 ? samples[count / 2] : (samples[count / 2 - 1] + samples[count / 2]) / 2;
}

int main(int argc, char **argv)
{
    const struct truth_work *work = argc > 2 ? truth_find(argv[1]) : NULL;
    if (!work) {
        fprintf(stderr, "usage: truth_plain WORK SIZE [SECONDS]\n");
        return 2;
    }
    const uint64_t size = strtoull(argv[2], NULL, 10);
    truth_start(work, argc > 3);
    if (argc > 3)
        printf("%.1f\n", median_ns(work, size, strtod(argv[3], NULL)));
    else
        work->run(size);
    return 0;
}
