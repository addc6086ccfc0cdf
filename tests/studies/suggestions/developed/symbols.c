/* The symbols of an interpreter, looked up by the number that the scanner gave to each name. */
#include "workload.h"

enum { SYMBOLS = 800, LOOKUPS = 4000, SLOTS = 2048 };

struct symbol {
    uint32_t number;
    uint32_t type;
    uint64_t value;
};

struct work {
    struct symbol symbols[SYMBOLS];
    uint16_t slots[SLOTS]; /* index into symbols, from 1; 0 if free */
    uint32_t wanted[LOOKUPS];
    uint64_t expected;
    uint64_t sum;
};

static const struct symbol *find_symbol(const struct work *work, uint32_t number)
{
    for (size_t i = 0; i < SYMBOLS; i++)
        if (work->symbols[i].number == number)
            return &work->symbols[i];
    return NULL;
}

static uint32_t slot_of(uint32_t number)
{
    return (number * 2654435769U) >> 21;
}

static const struct symbol *find_hashed(const struct work *work, uint32_t number)
{
    for (uint32_t slot = slot_of(number); work->slots[slot]; slot = (slot + 1) % SLOTS) {
        const struct symbol *symbol = &work->symbols[work->slots[slot] - 1];
        if (symbol->number == number)
            return symbol;
    }
    return NULL;
}

static void run_bad(void *state)
{
    struct work *work = state;
    work->sum = 0;
    for (size_t i = 0; i < LOOKUPS; i++) {
        const struct symbol *symbol = find_symbol(work, work->wanted[i]);
        work->sum += symbol ? symbol->value : 0;
    }
}

static void run_good(void *state)
{
    struct work *work = state;
    work->sum = 0;
    for (size_t i = 0; i < LOOKUPS; i++) {
        const struct symbol *symbol = find_hashed(work, work->wanted[i]);
        work->sum += symbol ? symbol->value : 0;
    }
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    for (uint32_t i = 0; i < SYMBOLS; i++) {
        const uint32_t number = 1000 + i * 7919U;
        work->symbols[i] =
            (struct symbol){.number = number, .type = i % 4, .value = workload_random(&sequence)};
        uint32_t slot = slot_of(number);
        while (work->slots[slot])
            slot = (slot + 1) % SLOTS;
        work->slots[slot] = (uint16_t)(i + 1);
    }
    for (size_t i = 0; i < LOOKUPS; i++) {
        const struct symbol *symbol = &work->symbols[workload_random(&sequence) % SYMBOLS];
        work->wanted[i] = symbol->number;
        work->expected += symbol->value;
    }
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    return workload_wrong(check, work->sum != work->expected);
}

PAIR(symbols, "Looks symbols up by their number.");
