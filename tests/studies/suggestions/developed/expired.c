/* A cache's clean-up: the numbers of the entries whose time has come, of all in the order in which
 * they were made. */
#include "workload.h"

enum { ENTRIES = 64 * 1024 };

struct work {
    uint32_t expires[ENTRIES];
    uint32_t expired[ENTRIES + 1];
    size_t count;
    uint32_t now;
};

static size_t list_expired(const uint32_t *expires, size_t count, uint32_t now, uint32_t *expired)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (expires[i] <= now)
            expired[found++] = (uint32_t)i;
    return found;
}

/* Stores every number, and keeps the expired ones. */
static size_t list_always(const uint32_t *expires, size_t count, uint32_t now, uint32_t *expired)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        expired[found] = (uint32_t)i;
        found += expires[i] <= now;
    }
    return found;
}

static void run_bad(void *state)
{
    struct work *work = state;
    work->count = list_expired(work->expires, ENTRIES, work->now, work->expired);
}

static void run_good(void *state)
{
    struct work *work = state;
    work->count = list_always(work->expires, ENTRIES, work->now, work->expired);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    work->now = 1U << 31;
    for (size_t i = 0; i < ENTRIES; i++)
        work->expires[i] = (uint32_t)workload_random(&sequence);
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    size_t wrong = 0, at = 0;
    for (uint32_t i = 0; i < ENTRIES; i++) {
        if (work->expires[i] > work->now)
            continue;
        wrong += at >= work->count || work->expired[at] != i;
        at++;
    }
    return workload_wrong(check, wrong + (at != work->count));
}

PAIR(expired, "Lists the entries of a cache that have expired.");
