/* Hashes the documents of a collection, the longest first, by all threads. */
#include "workload.h"

enum { DOCUMENTS = 64, BYTES = 96 * 1024 };

struct work {
    uint8_t text[BYTES];
    size_t lengths[DOCUMENTS];
    uint64_t hashes[DOCUMENTS];
    int threads;
};

static uint64_t hash(const uint8_t *text, size_t length)
{
    uint64_t sum = 14695981039346656037U;
    for (size_t i = 0; i + 8 <= length; i += 8) {
        uint64_t mixed = sum;
        for (size_t j = 0; j < 8; j++)
            mixed += (uint64_t)text[i + j] << (8 * j);
        sum = (mixed ^ (mixed >> 29)) * 1099511628211U;
    }
    return sum;
}

static void hash_in_parts(struct work *work)
{
#pragma omp parallel for num_threads(work->threads) schedule(static)
    for (size_t i = 0; i < DOCUMENTS; i++)
        work->hashes[i] = hash(work->text, work->lengths[i]);
}

static void hash_as_free(struct work *work)
{
#pragma omp parallel for num_threads(work->threads) schedule(dynamic)
    for (size_t i = 0; i < DOCUMENTS; i++)
        work->hashes[i] = hash(work->text, work->lengths[i]);
}

static void run_bad(void *state)
{
    hash_in_parts(state);
}

static void run_good(void *state)
{
    hash_as_free(state);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    for (size_t i = 0; i < BYTES; i++)
        work->text[i] = (uint8_t)workload_random(&sequence);
    for (size_t i = 0; i < DOCUMENTS; i++)
        work->lengths[i] = BYTES / (1 + i * i / 64);
    work->threads = (int)context->threads;
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    size_t wrong = 0;
    for (size_t i = 0; i < DOCUMENTS; i++)
        wrong += work->hashes[i] != hash(work->text, work->lengths[i]);
    return workload_wrong(check, wrong);
}

PAIR(documents, "Hashes documents of different lengths.");
