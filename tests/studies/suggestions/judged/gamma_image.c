/* gamma_image.c: a grey image of bytes from linear light to a display's gamma. */
#include "judged.h"

enum { WIDTH = 320, HEIGHT = 200 };

struct image {
    int width, height;
    uint8_t pixels[WIDTH * HEIGHT];
};

struct state {
    double result;
    struct image source, target;
};

static uint8_t corrected(uint8_t level, double gamma)
{
    return (uint8_t)(pow(level / 255.0, 1 / gamma) * 255 + 0.5);
}

static ELSEWHERE void correct_row(const uint8_t *source, uint8_t *target, int width, double gamma)
{
    for (int x = 0; x < width; x++)
        target[x] = corrected(source[x], gamma);
}

static ELSEWHERE void map_row(const uint8_t *source, uint8_t *target, int width,
                              const uint8_t map[256])
{
    for (int x = 0; x < width; x++)
        target[x] = map[source[x]];
}

static double fingerprint(const struct image *image)
{
    unsigned sum = 0;
    for (int i = 0; i < image->width * image->height; i += 61)
        sum = sum * 31 + image->pixels[i];
    return sum;
}

static bool set_up(struct kgate_context *context, void **place)
{
    struct state *state = context->allocate(context, sizeof *state);
    if (!state)
        return refuse(context, "out of memory");
    uint64_t random = context->seed | 1;
    state->source.width = state->target.width = WIDTH;
    state->source.height = state->target.height = HEIGHT;
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        state->source.pixels[i] = (uint8_t)below(&random, 256);
    *place = state;
    return true;
}

static void run_bad(void *place)
{
    struct state *state = place;
    for (int y = 0; y < HEIGHT; y++)
        correct_row(state->source.pixels + y * WIDTH, state->target.pixels + y * WIDTH, WIDTH, 2.2);
    state->result = fingerprint(&state->target);
}

static void run_good(void *place)
{
    struct state *state = place;
    uint8_t map[256];
    for (int level = 0; level < 256; level++)
        map[level] = corrected((uint8_t)level, 2.2);
    for (int y = 0; y < HEIGHT; y++)
        map_row(state->source.pixels + y * WIDTH, state->target.pixels + y * WIDTH, WIDTH, map);
    state->result = fingerprint(&state->target);
}

PAIR(gamma_image, 0, "An image's levels for a display.");
