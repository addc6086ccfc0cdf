/* blocked_ids.c: finds blocked account numbers among many, by a table of all accounts. */
#include "judged.h"

enum { ACCOUNTS = 1 << 24, QUERIES = 600000 };

struct state {
    double result;
    uint32_t *blocked; /* an account a word */
    uint64_t *bits;    /* an account a bit */
    uint32_t *queries;
};

static ELSEWHERE size_t count_blocked(const uint32_t *blocked, const uint32_t *queries,
                                      size_t count)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += blocked[queries[i]];
    return found;
}

static ELSEWHERE size_t count_blocked_bits(const uint64_t *bits, const uint32_t *queries,
                                           size_t count)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += bits[queries[i] / 64] >> queries[i] % 64 & 1;
    return found;
}

static bool set_up(struct kgate_context *context, void **place)
{
    struct state *state = context->allocate(context, sizeof *state);
    uint32_t *blocked = context->allocate(context, ACCOUNTS * sizeof *blocked);
    uint64_t *bits = context->allocate(context, ACCOUNTS / 8);
    uint32_t *queries = context->allocate(context, QUERIES * sizeof *queries);
    if (!state || !blocked || !bits || !queries)
        return refuse(context, "out of memory");
    uint64_t random = context->seed | 1;
    for (uint32_t i = 0; i < ACCOUNTS; i++) {
        blocked[i] = i * 2654435761u >> 27 == 5;
        bits[i / 64] |= (uint64_t)blocked[i] << i % 64;
    }
    for (int i = 0; i < QUERIES; i++)
        queries[i] = below(&random, ACCOUNTS);
    *state = (struct state){0, blocked, bits, queries};
    *place = state;
    return true;
}

static void run_bad(void *place)
{
    struct state *state = place;
    state->result = (double)count_blocked(state->blocked, state->queries, QUERIES);
}

static void run_good(void *place)
{
    struct state *state = place;
    state->result = (double)count_blocked_bits(state->bits, state->queries, QUERIES);
}

PAIR(blocked_ids, 0, "Account numbers looked up.");
