/* Sorts numbers by their digits, eleven bits at a time. */
#include <string.h>

#include "workload.h"

enum { NUMBERS = 32 * 1024, BITS = 11, DIGITS = 1 << BITS, PASSES = 3 };

struct work {
    uint32_t numbers[NUMBERS];
    uint32_t sorted[NUMBERS];
    uint32_t other[NUMBERS];
};

static void count_digits(const uint32_t *in, uint32_t counts[PASSES][DIGITS])
{
    for (size_t i = 0; i < NUMBERS; i++)
        for (size_t pass = 0; pass < PASSES; pass++)
            counts[pass][in[i] >> (BITS * pass) & (DIGITS - 1)]++;
}

static void sort_digit(uint32_t *restrict out, const uint32_t *restrict in, uint32_t *places,
                       unsigned shift)
{
    uint32_t place = 0;
    for (size_t i = 0; i < DIGITS; i++) {
        const uint32_t count = places[i];
        places[i] = place;
        place += count;
    }
    for (size_t i = 0; i < NUMBERS; i++)
        out[places[in[i] >> shift & (DIGITS - 1)]++] = in[i];
}

static void run(void *state)
{
    struct work *work = state;
    uint32_t counts[PASSES][DIGITS] = {{0}};
    count_digits(work->numbers, counts);
    sort_digit(work->sorted, work->numbers, counts[0], 0);
    sort_digit(work->other, work->sorted, counts[1], BITS);
    sort_digit(work->sorted, work->other, counts[2], 2 * BITS);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    for (size_t i = 0; i < NUMBERS; i++)
        work->numbers[i] = (uint32_t)workload_random(&sequence);
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    size_t wrong = 0;
    uint64_t sum = 0;
    for (size_t i = 0; i < NUMBERS; i++) {
        wrong += i && work->sorted[i] < work->sorted[i - 1];
        sum += work->numbers[i] - (uint64_t)work->sorted[i];
    }
    return workload_wrong(check, wrong + (sum != 0));
}

WORKLOAD(radix, "Sorts numbers by their digits.", run);
