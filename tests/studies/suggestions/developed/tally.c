/* Counts the votes of many papers on all threads, with one lock for the result. */
#include <pthread.h>
#include <string.h>

#include "workload.h"

enum { VOTES = 120 * 1000, PARTIES = 6 };

struct work {
    pthread_mutex_t lock;
    uint8_t votes[VOTES];
    uint64_t counts[PARTIES];
    int threads;
};

static void add_vote(struct work *work, unsigned party)
{
    pthread_mutex_lock(&work->lock);
    work->counts[party]++;
    pthread_mutex_unlock(&work->lock);
}

static void count_each(struct work *work)
{
#pragma omp parallel for num_threads(work->threads)
    for (size_t i = 0; i < VOTES; i++)
        add_vote(work, work->votes[i]);
}

static void add_votes(struct work *work, const uint64_t *counts)
{
    pthread_mutex_lock(&work->lock);
    for (size_t i = 0; i < PARTIES; i++)
        work->counts[i] += counts[i];
    pthread_mutex_unlock(&work->lock);
}

static void count_apart(struct work *work)
{
#pragma omp parallel num_threads(work->threads)
    {
        uint64_t counts[PARTIES] = {0};
#pragma omp for nowait
        for (size_t i = 0; i < VOTES; i++)
            counts[work->votes[i]]++;
        add_votes(work, counts);
    }
}

static void run_bad(void *state)
{
    struct work *work = state;
    memset(work->counts, 0, sizeof work->counts);
    count_each(work);
}

static void run_good(void *state)
{
    struct work *work = state;
    memset(work->counts, 0, sizeof work->counts);
    count_apart(work);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    for (size_t i = 0; i < VOTES; i++)
        work->votes[i] = (uint8_t)(workload_random(&sequence) % PARTIES);
    work->threads = (int)context->threads;
    return pthread_mutex_init(&work->lock, NULL) == 0;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    uint64_t counts[PARTIES] = {0};
    for (size_t i = 0; i < VOTES; i++)
        counts[work->votes[i]]++;
    return workload_wrong(check, memcmp(counts, work->counts, sizeof counts) != 0);
}

PAIR(tally, "Counts votes by several threads.");
