/* price_list.c: a stock of goods, each an entry of its own in a list, valued again and again. */
#include "judged.h"

enum { GOODS = 40000 };

struct good {
    struct good *next;
    uint32_t price, pieces;
    char name[32];
};

struct state {
    double result;
    struct good *first;
    struct good goods[GOODS];   /* the list's entries, in memory order */
    struct good ordered[GOODS]; /* the same goods, in the list's order */
};

static ELSEWHERE double value_of_list(const struct good *first)
{
    uint64_t value = 0;
    for (const struct good *good = first; good; good = good->next)
        value += (uint64_t)good->price * good->pieces;
    return (double)value;
}

static ELSEWHERE double value_of_array(const struct good *goods, size_t count)
{
    uint64_t value = 0;
    for (size_t i = 0; i < count; i++)
        value += (uint64_t)goods[i].price * goods[i].pieces;
    return (double)value;
}

/* Goods come and go, so the list's order is not that of the addresses. */
static void link_in_random_order(struct state *state, uint64_t *random)
{
    static uint32_t order[GOODS];
    for (uint32_t i = 0; i < GOODS; i++)
        order[i] = i;
    for (uint32_t i = GOODS - 1; i > 0; i--) {
        const uint32_t j = below(random, i + 1), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
    struct good **link = &state->first;
    for (uint32_t i = 0; i < GOODS; i++) {
        *link = &state->goods[order[i]];
        state->ordered[i] = **link;
        link = &(*link)->next;
    }
}

static bool set_up(struct kgate_context *context, void **place)
{
    struct state *state = context->allocate(context, sizeof *state);
    if (!state)
        return refuse(context, "out of memory");
    uint64_t random = context->seed | 1;
    for (int i = 0; i < GOODS; i++) {
        struct good *good = &state->goods[i];
        good->price = below(&random, 10000);
        good->pieces = below(&random, 100);
        snprintf(good->name, sizeof good->name, "good %d", i);
    }
    link_in_random_order(state, &random);
    *place = state;
    return true;
}

static void run_bad(void *place)
{
    struct state *state = place;
    state->result = value_of_list(state->first);
}

static void run_good(void *place)
{
    struct state *state = place;
    state->result = value_of_array(state->ordered, GOODS);
}

PAIR(price_list, 0, "The value of a stock.");
