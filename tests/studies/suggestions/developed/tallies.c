/* How often each byte occurs in a text: each thread counts a part by itself, and adds once. */
#include <string.h>

#include "workload.h"

enum { BYTES = 2 << 20 };

struct work {
    uint8_t text[BYTES];
    uint64_t counts[256];
    int threads;
};

/* Four counts side by side, so that equal neighbours do not wait for each other. */
static void count_part(const uint8_t *text, size_t count, uint64_t *counts)
{
    uint32_t parts[4][256] = {{0}};
    for (size_t i = 0; i + 4 <= count; i += 4)
        for (size_t j = 0; j < 4; j++)
            parts[j][text[i + j]]++;
#pragma omp critical(tallies)
    for (size_t i = 0; i < 256; i++)
        counts[i] += (uint64_t)parts[0][i] + parts[1][i] + parts[2][i] + parts[3][i];
}

static void run(void *state)
{
    struct work *work = state;
    memset(work->counts, 0, sizeof work->counts);
    enum { PART = BYTES / 16 };
#pragma omp parallel for num_threads(work->threads) schedule(dynamic)
    for (size_t i = 0; i < BYTES; i += PART)
        count_part(work->text + i, PART, work->counts);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    for (size_t i = 0; i < BYTES; i++)
        work->text[i] = (uint8_t)(workload_random(&sequence) % 96 + 32);
    work->threads = (int)context->threads;
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    uint64_t counts[256] = {0};
    for (size_t i = 0; i < BYTES; i++)
        counts[work->text[i]]++;
    return workload_wrong(check, memcmp(counts, work->counts, sizeof counts) != 0);
}

WORKLOAD(tallies, "Counts the bytes of a text by all threads.", run);
