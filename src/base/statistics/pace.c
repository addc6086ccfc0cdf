/* A core's clock changes by several per cent with its neighbours' load and with temperature. A time
 * that follows the clock tells nothing about the code. The exponent is 0 if all time is spent
 * waiting for memory with its own clock. It is 1 if all time is spent in the core. The rounds of
 * one side show it: their code is the same, and their core clock differs. */
#include <math.h>
#include <string.h>

#include "base/statistics/stats.h"

enum { STEPS = 10 };
/* If the scatter of an exponent is at most this many times the least, the exponent is as good. Some
 * tens of rounds do not determine the scatter more precisely. */
static const double AS_GOOD = 1.1;
/* Logarithm of 2. Beyond that something else slows the clock probe, for example a signal handler of
 * the code: its time must not be removed. */
static const double SHIFT_MOST = 0.693;

/* Mean absolute deviation of log_time - exponent * log_pace from each side's own median. */
static double scatter(const struct kg_paced *sides, size_t count, double exponent, double *scratch)
{
    double sum = 0;
    size_t total = 0;
    for (size_t s = 0; s < count; s++) {
        const size_t n = sides[s].count;
        double *rest = scratch;
        for (size_t i = 0; i < n; i++)
            rest[i] = sides[s].log_times[i] - exponent * sides[s].log_paces[i];
        const double middle = kg_median_of(rest, n, scratch + n);
        for (size_t i = 0; i < n; i++)
            sum += fabs(rest[i] - middle);
        total += n;
    }
    return total ? sum / (double)total : 0;
}

static void exponent_find(const struct kg_paced *sides, size_t count, double *scratch,
                          struct kg_pace *pace)
{
    double value[STEPS + 1], least = INFINITY;
    int low = STEPS, high = 0;
    for (int i = 0; i <= STEPS; i++) {
        value[i] = scatter(sides, count, (double)i / STEPS, scratch);
        least = fmin(least, value[i]);
    }
    for (int i = 0; i <= STEPS; i++)
        if (value[i] <= AS_GOOD * least) {
            low = i < low ? i : low;
            high = i > high ? i : high;
        }
    pace->exponent = (double)(low + high) / 2 / STEPS;
    pace->doubt = (double)(high - low) / 2 / STEPS;
}

/* Median log time of the clock probe, over all rounds of the reference's runs. */
static double reference_pace(const struct kg_paced *sides, size_t count, double *scratch)
{
    size_t total = 0;
    for (size_t s = 0; s < count; s++) {
        memcpy(scratch + total, sides[s].log_paces, sides[s].count * sizeof *scratch);
        total += sides[s].count;
    }
    kg_sort(scratch, total);
    return kg_median_sorted(scratch, total);
}

struct kg_pace kg_pace_correct(struct kg_paced *sides, size_t count, double *scratch)
{
    struct kg_pace pace = {0.5, 0.5, 0};
    if (count < 2 || !sides[0].count || !sides[count - 1].count)
        return pace;
    exponent_find(sides, count, scratch, &pace);
    const double reference = reference_pace(sides, count - 1, scratch);
    const struct kg_paced *current = &sides[count - 1];
    pace.shift = kg_median_of(current->log_paces, current->count, scratch) - reference;
    if (fabs(pace.shift) > SHIFT_MOST)
        pace.exponent = pace.doubt = 0;
    for (size_t s = 0; s < count; s++)
        for (size_t i = 0; i < sides[s].count; i++)
            sides[s].log_times[i] -= pace.exponent * (sides[s].log_paces[i] - reference);
    return pace;
}
