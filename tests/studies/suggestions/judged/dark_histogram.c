/* dark_histogram.c: how often each level occurs in frames of a night camera, nearly all black, and
 * the median level of each frame. */
#include "judged.h"

enum { FRAMES = 6, PIXELS = 320 * 240, LEVELS = 256 };

struct state {
    double result;
    uint8_t frames[FRAMES][PIXELS];
};

/* Each increment of a counter waits for the last one of the same counter. */
static ELSEWHERE void count_levels(const uint8_t *pixels, uint32_t counts[LEVELS])
{
    memset(counts, 0, LEVELS * sizeof *counts);
    for (int i = 0; i < PIXELS; i++)
        counts[pixels[i]]++;
}

/* Neighbours count in different tables. */
static ELSEWHERE void count_levels_apart(const uint8_t *pixels, uint32_t counts[LEVELS])
{
    uint32_t tables[4][LEVELS];
    memset(tables, 0, sizeof tables);
    for (int i = 0; i < PIXELS; i += 4) {
        tables[0][pixels[i]]++;
        tables[1][pixels[i + 1]]++;
        tables[2][pixels[i + 2]]++;
        tables[3][pixels[i + 3]]++;
    }
    for (int level = 0; level < LEVELS; level++) {
        counts[level] = 0;
        for (int j = 0; j < 4; j++)
            counts[level] += tables[j][level];
    }
}

static int median_level(const uint32_t counts[LEVELS])
{
    uint32_t sum = 0;
    int level = 0;
    while ((sum += counts[level]) < PIXELS / 2)
        level++;
    return level + (int)counts[LEVELS - 1];
}

static bool set_up(struct kgate_context *context, void **place)
{
    struct state *state = context->allocate(context, sizeof *state);
    if (!state)
        return refuse(context, "out of memory");
    uint64_t random = context->seed | 1;
    for (int i = 0; i < FRAMES; i++)
        for (int j = 0; j < PIXELS; j++)
            state->frames[i][j] = (uint8_t)(below(&random, 40) ? 3 : below(&random, 256));
    *place = state;
    return true;
}

static void run_bad(void *place)
{
    struct state *state = place;
    uint32_t counts[LEVELS];
    state->result = 0;
    for (int i = 0; i < FRAMES; i++) {
        count_levels(state->frames[i], counts);
        state->result += median_level(counts);
    }
}

static void run_good(void *place)
{
    struct state *state = place;
    uint32_t counts[LEVELS];
    state->result = 0;
    for (int i = 0; i < FRAMES; i++) {
        count_levels_apart(state->frames[i], counts);
        state->result += median_level(counts);
    }
}

PAIR(dark_histogram, 0, "Levels of dark frames.");
