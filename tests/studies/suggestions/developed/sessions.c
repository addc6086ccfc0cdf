/* The sessions of a server, each with a buffer of its own behind its header. Once per second the
 * server searches all sessions for silent ones. */
#include "workload.h"

enum { SESSIONS = 5600, BUFFER = 8192 };

struct session {
    uint64_t last_heard;
    uint64_t owner;
    char buffer[BUFFER + 112]; /* so that not all headers fall on the same set of a cache */
};

struct work {
    struct session sessions[SESSIONS];
    uint64_t last_heard[SESSIONS]; /* of each session */
    uint32_t order[SESSIONS];      /* as their sockets are in the table */
    uint64_t silent;
    uint64_t expected;
    uint64_t now;
};

static uint64_t silent_sessions(const struct work *work)
{
    uint64_t silent = 0;
    for (size_t i = 0; i < SESSIONS; i++)
        silent += work->sessions[work->order[i]].last_heard < work->now;
    return silent;
}

static uint64_t silent_times(const struct work *work)
{
    uint64_t silent = 0;
    for (size_t i = 0; i < SESSIONS; i++)
        silent += work->last_heard[work->order[i]] < work->now;
    return silent;
}

static void run_bad(void *state)
{
    struct work *work = state;
    work->silent = silent_sessions(work);
}

static void run_good(void *state)
{
    struct work *work = state;
    work->silent = silent_times(work);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    work->now = 500;
    for (uint32_t i = 0; i < SESSIONS; i++) {
        work->last_heard[i] = workload_random(&sequence) % 1000;
        work->sessions[i].last_heard = work->last_heard[i];
        work->expected += work->last_heard[i] < work->now;
        work->order[i] = i;
    }
    for (uint32_t i = SESSIONS - 1; i > 0; i--) {
        const uint32_t j = (uint32_t)(workload_random(&sequence) % (i + 1));
        const uint32_t other = work->order[i];
        work->order[i] = work->order[j];
        work->order[j] = other;
    }
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    return workload_wrong(check, work->silent != work->expected);
}

PAIR(sessions, "Looks for sessions that have been silent.");
