/* A picture of the Mandelbrot set, line by line. */
#include "workload.h"

enum { WIDTH = 160, HEIGHT = 120, STEPS = 200 };

struct work {
    uint8_t picture[HEIGHT][WIDTH];
    uint64_t expected;
    int threads;
};

static uint8_t steps_until_away(double x, double y)
{
    double a = 0, b = 0;
    int step = 0;
    for (; step < STEPS && a * a + b * b < 4; step++) {
        const double next = a * a - b * b + x;
        b = 2 * a * b + y;
        a = next;
    }
    return (uint8_t)step;
}

static void draw_line(uint8_t *line, int y)
{
    for (int x = 0; x < WIDTH; x++)
        line[x] = steps_until_away(-2 + 3.0 * x / WIDTH, -1 + 2.0 * y / HEIGHT);
}

static void draw(struct work *work)
{
    for (int y = 0; y < HEIGHT; y++)
        draw_line(work->picture[y], y);
}

static void draw_shared(struct work *work)
{
#pragma omp parallel for num_threads(work->threads) schedule(dynamic, 4)
    for (int y = 0; y < HEIGHT; y++)
        draw_line(work->picture[y], y);
}

static void run_bad(void *state)
{
    draw(state);
}

static void run_good(void *state)
{
    draw_shared(state);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    work->threads = (int)context->threads;
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    size_t wrong = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            wrong += work->picture[y][x] !=
                     steps_until_away(-2 + 3.0 * x / WIDTH, -1 + 2.0 * y / HEIGHT);
    return workload_wrong(check, wrong);
}

PAIR(fractal, "Draws the Mandelbrot set.");
