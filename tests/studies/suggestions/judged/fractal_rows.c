/* fractal_rows.c: a picture of the Mandelbrot set, row by row. */
#include "judged.h"

enum { WIDTH = 160, HEIGHT = 120, ITERATIONS = 250 };

struct state {
    double result;
    int threads;
    uint8_t pixels[HEIGHT][WIDTH];
};

static int iterations_at(double x, double y)
{
    double real = 0, imaginary = 0;
    int count = 0;
    while (count < ITERATIONS && real * real + imaginary * imaginary < 4) {
        const double next = real * real - imaginary * imaginary + x;
        imaginary = 2 * real * imaginary + y;
        real = next;
        count++;
    }
    return count;
}

static ELSEWHERE void draw_row(uint8_t *pixels, int row)
{
    for (int column = 0; column < WIDTH; column++)
        pixels[column] =
            (uint8_t)iterations_at(column * 3.0 / WIDTH - 2.2, row * 2.4 / HEIGHT - 1.2);
}

static void draw(struct state *state)
{
    for (int row = 0; row < HEIGHT; row++)
        draw_row(state->pixels[row], row);
}

static void draw_by_threads(struct state *state)
{
#pragma omp parallel for num_threads(state->threads) schedule(dynamic, 2)
    for (int row = 0; row < HEIGHT; row++)
        draw_row(state->pixels[row], row);
}

static double fingerprint(const struct state *state)
{
    enum { MIDDLE = WIDTH / 2 };
    double sum = 0;
    for (int row = 0; row < HEIGHT; row++)
        sum += state->pixels[row][MIDDLE] * (row + 1);
    return sum;
}

static bool set_up(struct kgate_context *context, void **place)
{
    struct state *state = context->allocate(context, sizeof *state);
    if (!state)
        return refuse(context, "out of memory");
    state->threads = (int)context->threads;
    *place = state;
    return true;
}

static void run_bad(void *place)
{
    struct state *state = place;
    draw(state);
    state->result = fingerprint(state);
}

static void run_good(void *place)
{
    struct state *state = place;
    draw_by_threads(state);
    state->result = fingerprint(state);
}

PAIR(fractal_rows, 0, "A picture of the Mandelbrot set.");
