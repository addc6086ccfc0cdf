/* Unpacks a screen dump, packed as runs of one colour, into an image of its own. */
#include <sys/mman.h>

#include "workload.h"

enum { PIXELS = 1 << 20, RUN = 512, RUNS = PIXELS / RUN };

struct run {
    uint32_t colour;
    uint32_t length;
};

struct work {
    struct run runs[RUNS];
    uint32_t screen[PIXELS];
    uint32_t checksum;
    uint32_t expected;
};

static void unpack(const struct run *runs, uint32_t *image)
{
    for (size_t i = 0; i < RUNS; i++) {
        const struct run run = runs[i];
        for (uint32_t j = 0; j < run.length; j++)
            *image++ = run.colour;
    }
}

static uint32_t sample(const uint32_t *image)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < PIXELS; i += RUN)
        sum = sum * 31 + image[i];
    return sum;
}

static uint32_t show_fresh(const struct work *work)
{
    const size_t bytes = PIXELS * sizeof(uint32_t);
    uint32_t *image = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (image == MAP_FAILED)
        return 0;
    unpack(work->runs, image);
    const uint32_t sum = sample(image);
    munmap(image, bytes);
    return sum;
}

static void run_bad(void *state)
{
    struct work *work = state;
    work->checksum = show_fresh(work);
}

static void run_good(void *state)
{
    struct work *work = state;
    unpack(work->runs, work->screen);
    work->checksum = sample(work->screen);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    for (size_t i = 0; i < RUNS; i++) {
        work->runs[i] = (struct run){.colour = (uint32_t)workload_random(&sequence), .length = RUN};
        work->expected = work->expected * 31 + work->runs[i].colour;
    }
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    return workload_wrong(check, work->checksum != work->expected);
}

PAIR(unpack, "Unpacks a screen dump.");
