/* vote_tally.c: votes for a handful of candidates, counted by threads. */
#include "judged.h"

enum { VOTES = 160000, CANDIDATES = 12 };

struct state {
    double result;
    int threads;
    uint32_t tally[CANDIDATES];
    uint8_t votes[VOTES];
};

static ELSEWHERE void count_votes(uint32_t *tally, const uint8_t *votes, int count)
{
    for (int i = 0; i < count; i++)
        __atomic_fetch_add(&tally[votes[i]], 1, __ATOMIC_RELAXED);
}

static ELSEWHERE void count_votes_apart(uint32_t *tally, const uint8_t *votes, int count)
{
    uint32_t own[CANDIDATES] = {0};
    for (int i = 0; i < count; i++)
        own[votes[i]]++;
    for (int i = 0; i < CANDIDATES; i++)
        __atomic_fetch_add(&tally[i], own[i], __ATOMIC_RELAXED);
}

static double fingerprint(const uint32_t *tally)
{
    double sum = 0;
    for (int i = 0; i < CANDIDATES; i++)
        sum += (double)tally[i] * (i + 1);
    return sum;
}

static bool set_up(struct kgate_context *context, void **place)
{
    struct state *state = context->allocate(context, sizeof *state);
    if (!state)
        return refuse(context, "out of memory");
    state->threads = (int)context->threads;
    uint64_t random = context->seed | 1;
    for (int i = 0; i < VOTES; i++)
        state->votes[i] = (uint8_t)below(&random, CANDIDATES);
    *place = state;
    return true;
}

static void count_by(struct state *state, void (*count)(uint32_t *, const uint8_t *, int))
{
    enum { PART = VOTES / 4 };
    memset(state->tally, 0, sizeof state->tally);
#pragma omp parallel for num_threads(state->threads)
    for (int i = 0; i < VOTES; i += PART)
        count(state->tally, state->votes + i, PART);
    state->result = fingerprint(state->tally);
}

static void run_bad(void *place)
{
    count_by(place, count_votes);
}

static void run_good(void *place)
{
    count_by(place, count_votes_apart);
}

PAIR(vote_tally, 0, "Votes counted by threads.");
