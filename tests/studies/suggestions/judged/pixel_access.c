/* pixel_access.c: the mean brightness of the tiles of an image that may be of several formats. */
#include "judged.h"

enum { WIDTH = 320, HEIGHT = 256, TILE = 32, TILES = (WIDTH / TILE) * (HEIGHT / TILE) };

struct image;

struct format {
    const char *name;
    unsigned (*brightness)(const struct image *image, int x, int y);
    unsigned (*row_brightness)(const struct image *image, int x, int y, int count);
};

struct image {
    const struct format *format;
    int width, height;
    uint8_t *pixels;
};

struct state {
    double result;
    struct image image;
    unsigned means[TILES];
};

static unsigned grey_brightness(const struct image *image, int x, int y)
{
    return image->pixels[y * image->width + x];
}

static unsigned colour_brightness(const struct image *image, int x, int y)
{
    const uint8_t *pixel = image->pixels + 3 * (y * image->width + x);
    return (pixel[0] * 2u + pixel[1] * 5u + pixel[2]) / 8;
}

static unsigned grey_row(const struct image *image, int x, int y, int count)
{
    unsigned sum = 0;
    for (int i = 0; i < count; i++)
        sum += grey_brightness(image, x + i, y);
    return sum;
}

static unsigned colour_row(const struct image *image, int x, int y, int count)
{
    unsigned sum = 0;
    for (int i = 0; i < count; i++)
        sum += colour_brightness(image, x + i, y);
    return sum;
}

static const struct format formats[] = {{"grey", grey_brightness, grey_row},
                                        {"colour", colour_brightness, colour_row}};

static ELSEWHERE unsigned tile_mean(const struct image *image, int left, int top)
{
    unsigned sum = 0;
    for (int y = top; y < top + TILE; y++)
        for (int x = left; x < left + TILE; x++)
            sum += image->format->brightness(image, x, y);
    return sum / (TILE * TILE);
}

static ELSEWHERE unsigned tile_mean_by_rows(const struct image *image, int left, int top)
{
    unsigned sum = 0;
    for (int y = top; y < top + TILE; y++)
        sum += image->format->row_brightness(image, left, y, TILE);
    return sum / (TILE * TILE);
}

static double fingerprint(const unsigned means[])
{
    unsigned sum = 0;
    for (int i = 0; i < TILES; i++)
        sum = sum * 31 + means[i];
    return sum;
}

static bool set_up(struct kgate_context *context, void **place)
{
    struct state *state = context->allocate(context, sizeof *state);
    uint8_t *pixels = context->allocate(context, WIDTH * HEIGHT);
    if (!state || !pixels)
        return refuse(context, "out of memory");
    state->image = (struct image){&formats[0], WIDTH, HEIGHT, pixels};
    uint64_t random = context->seed | 1;
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        pixels[i] = (uint8_t)below(&random, 256);
    *place = state;
    return true;
}

static void run_bad(void *place)
{
    struct state *state = place;
    unsigned *mean = state->means;
    for (int y = 0; y < HEIGHT; y += TILE)
        for (int x = 0; x < WIDTH; x += TILE)
            *mean++ = tile_mean(&state->image, x, y);
    state->result = fingerprint(state->means);
}

static void run_good(void *place)
{
    struct state *state = place;
    unsigned *mean = state->means;
    for (int y = 0; y < HEIGHT; y += TILE)
        for (int x = 0; x < WIDTH; x += TILE)
            *mean++ = tile_mean_by_rows(&state->image, x, y);
    state->result = fingerprint(state->means);
}

PAIR(pixel_access, 0, "The brightness of an image's tiles.");
