/* Looks up keys in a dictionary with open addressing, half full. Some keys are missing. */
#include "workload.h"

enum { SLOTS = 4096, KEYS = 2048, LOOKUPS = 16 * 1024 };

struct slot {
    uint32_t key; /* 0 if free */
    uint32_t value;
};

struct work {
    struct slot slots[SLOTS];
    uint32_t lookups[LOOKUPS];
    uint64_t sum;
    uint64_t expected;
};

static uint32_t slot_of(uint32_t key)
{
    return (key * 2654435769U) >> 20;
}

static uint32_t look_up(const struct slot *slots, uint32_t key)
{
    uint32_t at = slot_of(key);
    while (slots[at].key && slots[at].key != key)
        at = (at + 1) % SLOTS;
    return slots[at].key ? slots[at].value : 0;
}

static void run(void *state)
{
    struct work *work = state;
    uint64_t sum = 0;
    for (size_t i = 0; i < LOOKUPS; i++)
        sum += look_up(work->slots, work->lookups[i]);
    work->sum = sum;
}

/* Keys are consecutive, like assigned numbers, and this hash spreads them evenly. */
static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    for (uint32_t key = 1; key <= KEYS; key++) {
        uint32_t at = slot_of(key);
        while (work->slots[at].key)
            at = (at + 1) % SLOTS;
        work->slots[at] = (struct slot){.key = key, .value = key * 3};
    }
    uint64_t sequence = context->seed;
    for (size_t i = 0; i < LOOKUPS; i++) {
        work->lookups[i] = 1 + (uint32_t)(workload_random(&sequence) % (KEYS + KEYS / 64));
        work->expected += work->lookups[i] <= KEYS ? work->lookups[i] * 3 : 0;
    }
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    return workload_wrong(check, work->sum != work->expected);
}

WORKLOAD(dictionary, "Looks keys up in a dictionary.", run);
