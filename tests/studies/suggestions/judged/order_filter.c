/* order_filter.c: the orders of a day that a filter lets through, and their value. */
#include "judged.h"

enum { ORDERS = 300000 };

struct order {
    uint32_t customer, price;
    uint16_t pieces, discount;
};

struct state {
    double result;
    struct order orders[ORDERS];
    uint32_t kept[ORDERS + 1];
};

static ELSEWHERE size_t keep_dear(const struct order *orders, size_t count, uint32_t least,
                                  uint32_t *kept)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (orders[i].price >= least)
            kept[found++] = (uint32_t)i;
    return found;
}

/* Writes every order, but advances to the next place only if it keeps the order. */
static ELSEWHERE size_t keep_dear_always_written(const struct order *orders, size_t count,
                                                 uint32_t least, uint32_t *kept)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        kept[found] = (uint32_t)i;
        found += orders[i].price >= least;
    }
    return found;
}

static double value_of(const struct state *state, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += state->orders[state->kept[i]].pieces;
    return (double)sum + (double)count;
}

static bool set_up(struct kgate_context *context, void **place)
{
    struct state *state = context->allocate(context, sizeof *state);
    if (!state)
        return refuse(context, "out of memory");
    uint64_t random = context->seed | 1;
    for (int i = 0; i < ORDERS; i++)
        state->orders[i] = (struct order){.customer = below(&random, 5000),
                                          .price = below(&random, 10000),
                                          .pieces = (uint16_t)below(&random, 20)};
    *place = state;
    return true;
}

static void run_bad(void *place)
{
    struct state *state = place;
    state->result = value_of(state, keep_dear(state->orders, ORDERS, 5000, state->kept));
}

static void run_good(void *place)
{
    struct state *state = place;
    const size_t count = keep_dear_always_written(state->orders, ORDERS, 5000, state->kept);
    state->result = value_of(state, count);
}

PAIR(order_filter, 0, "Orders above a price.");
