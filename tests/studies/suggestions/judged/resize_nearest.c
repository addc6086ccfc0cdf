/* resize_nearest.c: an image made larger, each pixel taken from the nearest one of the source. */
#include "judged.h"

enum { WIDTH = 320, HEIGHT = 200, NEW_WIDTH = 500, NEW_HEIGHT = 330 };

struct image {
    unsigned width, height;
    uint8_t *pixels;
};

struct state {
    double result;
    struct image source, target;
};

static ELSEWHERE void resize_row(const struct image *source, struct image *target, unsigned y)
{
    const uint8_t *from =
        source->pixels + (size_t)(y * source->height / target->height) * source->width;
    uint8_t *to = target->pixels + (size_t)y * target->width;
    const unsigned width = target->width;
    for (unsigned x = 0; x < width; x++)
        to[x] = from[x * source->width / width];
}

static ELSEWHERE void map_columns(const struct image *source, const struct image *target,
                                  uint16_t map[])
{
    for (unsigned x = 0; x < target->width; x++)
        map[x] = (uint16_t)(x * source->width / target->width);
}

static ELSEWHERE void resize_row_by_map(const struct image *source, struct image *target,
                                        unsigned y, const uint16_t map[])
{
    const uint8_t *from =
        source->pixels + (size_t)(y * source->height / target->height) * source->width;
    uint8_t *to = target->pixels + (size_t)y * target->width;
    const unsigned width = target->width;
    for (unsigned x = 0; x < width; x++)
        to[x] = from[map[x]];
}

static double fingerprint(const struct image *image)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < image->width * image->height; i += 61)
        sum = sum * 31 + image->pixels[i];
    return sum;
}

static bool set_up(struct kgate_context *context, void **place)
{
    struct state *state = context->allocate(context, sizeof *state);
    uint8_t *source = context->allocate(context, WIDTH * HEIGHT);
    uint8_t *target = context->allocate(context, NEW_WIDTH * NEW_HEIGHT);
    if (!state || !source || !target)
        return refuse(context, "out of memory");
    state->source = (struct image){WIDTH, HEIGHT, source};
    state->target = (struct image){NEW_WIDTH, NEW_HEIGHT, target};
    uint64_t random = context->seed | 1;
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        source[i] = (uint8_t)below(&random, 256);
    *place = state;
    return true;
}

static void run_bad(void *place)
{
    struct state *state = place;
    for (unsigned y = 0; y < state->target.height; y++)
        resize_row(&state->source, &state->target, y);
    state->result = fingerprint(&state->target);
}

static void run_good(void *place)
{
    struct state *state = place;
    uint16_t map[NEW_WIDTH];
    map_columns(&state->source, &state->target, map);
    for (unsigned y = 0; y < state->target.height; y++)
        resize_row_by_map(&state->source, &state->target, y, map);
    state->result = fingerprint(&state->target);
}

PAIR(resize_nearest, 0, "An image made larger.");
