/* turned_tiles.c: an image turned by a quarter, in tiles that stay in the first-level cache. */
#include "judged.h"

enum { SIDE = 800, TILE = 8 };

struct state {
    double result;
    uint32_t *source, *target;
};

static ELSEWHERE void turn_tile(const uint32_t *restrict source, uint32_t *restrict target,
                                int left, int top)
{
    for (int y = top; y < top + TILE; y++)
        for (int x = left; x < left + TILE; x++)
            target[x * SIDE + (SIDE - 1 - y)] = source[y * SIDE + x];
}

static double fingerprint(const uint32_t *pixels)
{
    uint32_t sum = 0;
    for (int i = 0; i < SIDE * SIDE; i += 1009)
        sum = sum * 31 + pixels[i];
    return sum;
}

static bool set_up(struct kgate_context *context, void **place)
{
    struct state *state = context->allocate(context, sizeof *state);
    uint32_t *source = context->allocate(context, SIDE * SIDE * sizeof *source);
    uint32_t *target = context->allocate(context, SIDE * SIDE * sizeof *target);
    if (!state || !source || !target)
        return refuse(context, "out of memory");
    uint64_t random = context->seed | 1;
    for (int i = 0; i < SIDE * SIDE; i++)
        source[i] = (uint32_t)xorshift(&random);
    *state = (struct state){0, source, target};
    *place = state;
    return true;
}

static void run(void *place)
{
    struct state *state = place;
    for (int y = 0; y < SIDE; y += TILE)
        for (int x = 0; x < SIDE; x += TILE)
            turn_tile(state->source, state->target, x, y);
    state->result = fingerprint(state->target);
}

static double reference(const struct state *state)
{
    uint32_t sum = 0;
    for (int i = 0; i < SIDE * SIDE; i += 1009)
        sum = sum * 31 + state->source[(SIDE - 1 - i % SIDE) * SIDE + i / SIDE];
    return sum;
}

SINGLE(turned_tiles, 0, "An image turned by a quarter.");
