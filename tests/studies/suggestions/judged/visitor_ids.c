/* visitor_ids.c: the different visitors in a day's log, and the visits of the most frequent. */
#include "judged.h"

enum { VISITS = 9000, VISITORS = 3000, SLOTS = 8192 };

struct visitor {
    uint32_t id, visits;
};

struct state {
    double result;
    size_t count;
    uint32_t log[VISITS];
    struct visitor visitors[VISITORS];
    uint16_t slots[SLOTS]; /* the index of a visitor, plus 1 */
};

static ELSEWHERE struct visitor *find_visitor(struct state *state, uint32_t id)
{
    for (size_t i = 0; i < state->count; i++)
        if (state->visitors[i].id == id)
            return &state->visitors[i];
    state->visitors[state->count] = (struct visitor){.id = id};
    return &state->visitors[state->count++];
}

static ELSEWHERE struct visitor *look_up_visitor(struct state *state, uint32_t id)
{
    uint32_t slot = (id * 2654435761u) >> 19;
    while (state->slots[slot]) {
        struct visitor *visitor = &state->visitors[state->slots[slot] - 1];
        if (visitor->id == id)
            return visitor;
        slot = (slot + 1) % SLOTS;
    }
    state->visitors[state->count] = (struct visitor){.id = id};
    state->slots[slot] = (uint16_t)++state->count;
    return &state->visitors[state->count - 1];
}

static double summary(const struct state *state)
{
    uint32_t most = 0;
    for (size_t i = 0; i < state->count; i++)
        if (state->visitors[i].visits > most)
            most = state->visitors[i].visits;
    return (double)state->count * 1000 + most;
}

static bool set_up(struct kgate_context *context, void **place)
{
    struct state *state = context->allocate(context, sizeof *state);
    if (!state)
        return refuse(context, "out of memory");
    uint64_t random = context->seed | 1;
    for (int i = 0; i < VISITS; i++)
        state->log[i] = (below(&random, VISITORS) + 1) * 7919u;
    *place = state;
    return true;
}

static void run_bad(void *place)
{
    struct state *state = place;
    state->count = 0;
    for (int i = 0; i < VISITS; i++)
        find_visitor(state, state->log[i])->visits++;
    state->result = summary(state);
}

static void run_good(void *place)
{
    struct state *state = place;
    state->count = 0;
    memset(state->slots, 0, sizeof state->slots);
    for (int i = 0; i < VISITS; i++)
        look_up_visitor(state, state->log[i])->visits++;
    state->result = summary(state);
}

PAIR(visitor_ids, 0, "Different visitors in a log.");
