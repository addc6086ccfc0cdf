/* memory.c: 64 MiB, followed from pointer to pointer in random order (`chase`), and summed up from
 * one end to the other (`stream`). Each call continues from the end of the last one. */
#include <stdlib.h>

#include "ordinary.h"

enum { BYTES = 64 * 1024 * 1024, STEPS = 20 };

struct line {
    struct line *next;
    char rest[64 - sizeof(struct line *)];
};
enum { LINES = BYTES / sizeof(struct line), WORDS = BYTES / sizeof(uint64_t) };

static struct line *here;

/* Sattolo (1986): one cycle through all lines. */
static bool chase_set_up(struct kgate_context *context, void **state)
{
    struct line *lines = malloc(BYTES);
    uint64_t random = context->seed | 1;
    *state = lines;
    if (!lines)
        return false;
    for (size_t i = 0; i < LINES; i++)
        lines[i].next = &lines[i];
    for (size_t i = LINES - 1; i > 0; i--) {
        const size_t other = xorshift(&random) % i;
        struct line *next = lines[i].next;
        lines[i].next = lines[other].next;
        lines[other].next = next;
    }
    here = lines;
    return true;
}

static void chase_run(void *state)
{
    (void)state;
    for (unsigned i = 0; i < turns * STEPS; i++)
        here = here->next;
}

static size_t at;
static volatile uint64_t total;

static bool stream_set_up(struct kgate_context *context, void **state)
{
    uint64_t *words = malloc(BYTES), random = context->seed | 1;
    *state = words;
    for (size_t i = 0; words && i < WORDS; i++)
        words[i] = xorshift(&random);
    return words != NULL;
}

static uint64_t sum(const uint64_t *words, size_t count)
{
    uint64_t result = 0;
    for (size_t i = 0; i < count; i++)
        result += words[i];
    return result;
}

static void stream_run(void *state)
{
    const size_t part = WORDS / 128;
    for (unsigned turn = 0; turn < turns; turn++) {
        total += sum((const uint64_t *)state + at, part);
        at = (at + part) % WORDS;
    }
}

static void tear_down(struct kgate_context *context, void *state)
{
    (void)context;
    free(state);
}

const struct kgate_workload chase_workload = {.name = "chase",
                                              .summary = "A list through 64 MiB.",
                                              .devices = 1u << KGATE_DEVICE_CPU,
                                              .revision = 1,
                                              .set_up = chase_set_up,
                                              .run = chase_run,
                                              .tear_down = tear_down};
const struct kgate_workload stream_workload = {.name = "stream",
                                               .summary = "A sum over 64 MiB.",
                                               .devices = 1u << KGATE_DEVICE_CPU,
                                               .revision = 1,
                                               .set_up = stream_set_up,
                                               .run = stream_run,
                                               .tear_down = tear_down};
