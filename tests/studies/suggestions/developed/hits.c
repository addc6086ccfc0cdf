/* Statistics of a web server: how often each kind of answer was given, counted by all its threads. */
#include <stdatomic.h>
#include <string.h>

#include "workload.h"

enum { ANSWERS = 300 * 1000, KINDS = 5 };

struct work {
    uint8_t answers[ANSWERS];
    atomic_ullong hits[KINDS];
    int threads;
};

static void count_hit(struct work *work, unsigned kind)
{
    atomic_fetch_add(&work->hits[kind], 1);
}

static void count_shared(struct work *work)
{
#pragma omp parallel for num_threads(work->threads)
    for (size_t i = 0; i < ANSWERS; i++)
        count_hit(work, work->answers[i]);
}

static void count_own(struct work *work)
{
#pragma omp parallel num_threads(work->threads)
    {
        unsigned long long hits[KINDS] = {0};
#pragma omp for nowait
        for (size_t i = 0; i < ANSWERS; i++)
            hits[work->answers[i]]++;
        for (size_t i = 0; i < KINDS; i++)
            atomic_fetch_add(&work->hits[i], hits[i]);
    }
}

static void reset(struct work *work)
{
    for (size_t i = 0; i < KINDS; i++)
        atomic_store(&work->hits[i], 0);
}

static void run_bad(void *state)
{
    reset(state);
    count_shared(state);
}

static void run_good(void *state)
{
    reset(state);
    count_own(state);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    for (size_t i = 0; i < ANSWERS; i++)
        work->answers[i] = (uint8_t)(workload_random(&sequence) % KINDS);
    work->threads = (int)context->threads;
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    struct work *work = state;
    unsigned long long hits[KINDS] = {0};
    for (size_t i = 0; i < ANSWERS; i++)
        hits[work->answers[i]]++;
    size_t wrong = 0;
    for (size_t i = 0; i < KINDS; i++)
        wrong += hits[i] != atomic_load(&work->hits[i]);
    return workload_wrong(check, wrong);
}

PAIR(hits, "Counts the answers of a server by kind.");
