/* friend_triangles.c: how many groups of three people all know each other, by threads. */
#include "judged.h"

enum { PEOPLE = 420 };

struct state {
    double result;
    int threads;
    uint8_t knows[PEOPLE][PEOPLE];
};

/* The groups in which this person has the highest number: few for the first, many for the last. */
static ELSEWHERE uint32_t groups_of(const struct state *state, int person)
{
    uint32_t groups = 0;
    for (int i = 1; i < person; i++)
        if (state->knows[person][i])
            for (int j = 0; j < i; j++)
                groups += state->knows[person][j] & state->knows[i][j];
    return groups;
}

static bool set_up(struct kgate_context *context, void **place)
{
    struct state *state = context->allocate(context, sizeof *state);
    if (!state)
        return refuse(context, "out of memory");
    state->threads = (int)context->threads;
    uint64_t random = context->seed | 1;
    for (int i = 0; i < PEOPLE; i++)
        for (int j = 0; j < i; j++)
            state->knows[i][j] = state->knows[j][i] = below(&random, 3) == 0;
    *place = state;
    return true;
}

static uint32_t count_in_halves(const struct state *state)
{
    uint32_t groups = 0;
#pragma omp parallel for num_threads(state->threads) schedule(static) reduction(+ : groups)
    for (int person = 0; person < PEOPLE; person++)
        groups += groups_of(state, person);
    return groups;
}

static uint32_t count_as_they_come(const struct state *state)
{
    uint32_t groups = 0;
#pragma omp parallel for num_threads(state->threads) schedule(dynamic, 4) reduction(+ : groups)
    for (int person = 0; person < PEOPLE; person++)
        groups += groups_of(state, person);
    return groups;
}

static void run_bad(void *place)
{
    struct state *state = place;
    state->result = count_in_halves(state);
}

static void run_good(void *place)
{
    struct state *state = place;
    state->result = count_as_they_come(state);
}

PAIR(friend_triangles, 0, "Groups of three that know each other.");
