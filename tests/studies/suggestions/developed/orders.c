/* An order book: the orders of one side, by price. Each new price requires the orders' total
 * value. */
#include "workload.h"

enum { ORDERS = 20000 };

struct order {
    struct order *next;
    uint64_t number;
    uint32_t pieces;
    uint32_t cents;
    char account[40];
};

struct line {
    uint32_t pieces;
    uint32_t cents;
};

struct work {
    struct order orders[ORDERS]; /* orders in their order of arrival */
    struct order *first;
    struct line lines[ORDERS]; /* the orders by price */
    uint64_t worth;
    uint64_t expected;
};

static uint64_t worth_of_list(const struct order *order)
{
    uint64_t sum = 0;
    for (; order; order = order->next)
        sum += (uint64_t)order->pieces * order->cents;
    return sum;
}

static uint64_t worth_of_lines(const struct line *lines, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (uint64_t)lines[i].pieces * lines[i].cents;
    return sum;
}

static void run_bad(void *state)
{
    struct work *work = state;
    work->worth = worth_of_list(work->first);
}

static void run_good(void *state)
{
    struct work *work = state;
    work->worth = worth_of_lines(work->lines, ORDERS);
}

/* The order in which prices rise, which has nothing to do with when the orders came in. */
static void link_orders(struct work *work, uint64_t *sequence)
{
    static uint32_t places[ORDERS];
    for (uint32_t i = 0; i < ORDERS; i++)
        places[i] = i;
    for (uint32_t i = ORDERS - 1; i > 0; i--) {
        const uint32_t j = (uint32_t)(workload_random(sequence) % (i + 1)), place = places[i];
        places[i] = places[j];
        places[j] = place;
    }
    struct order **end = &work->first;
    for (uint32_t i = 0; i < ORDERS; i++) {
        struct order *order = &work->orders[places[i]];
        order->cents = 1000 + i;
        work->lines[i] = (struct line){order->pieces, order->cents};
        work->expected += (uint64_t)order->pieces * order->cents;
        *end = order;
        end = &order->next;
    }
    *end = NULL;
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    for (size_t i = 0; i < ORDERS; i++) {
        work->orders[i].number = i;
        work->orders[i].pieces = 1 + (uint32_t)(workload_random(&sequence) % 100);
    }
    link_orders(work, &sequence);
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    return workload_wrong(check, work->worth != work->expected);
}

PAIR(orders, "Sums what the orders of a book are worth.");
