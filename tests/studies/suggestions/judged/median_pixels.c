/* median_pixels.c: every pixel's median over seven exposures, by a small sort without branches. */
#include "judged.h"

enum { EXPOSURES = 7, PIXELS = 20000 };

struct state {
    double result;
    uint16_t levels[PIXELS][EXPOSURES];
};

static inline void order(uint16_t *a, uint16_t *b)
{
    const uint16_t low = *a < *b ? *a : *b, high = *a < *b ? *b : *a;
    *a = low;
    *b = high;
}

/* Paeth (1990): the median of seven by thirteen comparisons. */
static inline uint16_t median_of_seven(const uint16_t *levels)
{
    uint16_t v[EXPOSURES];
    memcpy(v, levels, sizeof v);
    order(&v[0], &v[5]);
    order(&v[0], &v[3]);
    order(&v[1], &v[6]);
    order(&v[2], &v[4]);
    order(&v[0], &v[1]);
    order(&v[3], &v[5]);
    order(&v[2], &v[6]);
    order(&v[2], &v[3]);
    order(&v[3], &v[6]);
    order(&v[4], &v[5]);
    order(&v[1], &v[4]);
    order(&v[1], &v[3]);
    order(&v[3], &v[4]);
    return v[3];
}

static ELSEWHERE uint64_t sum_of_medians(const uint16_t levels[][EXPOSURES], int count)
{
    uint64_t sum = 0;
    for (int i = 0; i < count; i++)
        sum += median_of_seven(levels[i]);
    return sum;
}

static bool set_up(struct kgate_context *context, void **place)
{
    struct state *state = context->allocate(context, sizeof *state);
    if (!state)
        return refuse(context, "out of memory");
    uint64_t random = context->seed | 1;
    for (int i = 0; i < PIXELS; i++)
        for (int j = 0; j < EXPOSURES; j++)
            state->levels[i][j] = (uint16_t)below(&random, 65536);
    *place = state;
    return true;
}

static void run(void *place)
{
    struct state *state = place;
    state->result = (double)sum_of_medians((const uint16_t(*)[EXPOSURES])state->levels, PIXELS);
}

static unsigned lower_than(const uint16_t *levels, uint16_t level)
{
    unsigned count = 0;
    for (int i = 0; i < EXPOSURES; i++)
        count += levels[i] < level;
    return count;
}

static double reference(const struct state *state)
{
    double sum = 0;
    for (int i = 0; i < PIXELS; i++) {
        uint16_t median = 0; /* the highest that at most three are below */
        for (int j = 0; j < EXPOSURES; j++)
            if (state->levels[i][j] > median &&
                lower_than(state->levels[i], state->levels[i][j]) <= 3)
                median = state->levels[i][j];
        sum += median;
    }
    return sum;
}

SINGLE(median_pixels, 0, "Medians of seven exposures.");
