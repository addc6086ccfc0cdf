/* session_timeouts.c: a server's sessions, in the order of a timer wheel: which timed out. */
#include "judged.h"

enum { SESSIONS = 10000, BUFFER = 16384, WHEEL = 60000 };

struct header {
    uint32_t id, last_active;
};

struct session {
    struct header header;
    char name[56];
    char buffer[BUFFER]; /* received bytes, inside the session */
};

struct state {
    double result;
    struct session *sessions;
    struct header *headers; /* the same, kept apart from the buffers */
    uint16_t wheel[WHEEL];
};

static ELSEWHERE unsigned expired_sessions(const struct session *sessions, const uint16_t *wheel,
                                           uint32_t now)
{
    unsigned count = 0;
    for (int i = 0; i < WHEEL; i++)
        count += now - sessions[wheel[i]].header.last_active > 600;
    return count;
}

static ELSEWHERE unsigned expired_headers(const struct header *headers, const uint16_t *wheel,
                                          uint32_t now)
{
    unsigned count = 0;
    for (int i = 0; i < WHEEL; i++)
        count += now - headers[wheel[i]].last_active > 600;
    return count;
}

static bool set_up(struct kgate_context *context, void **place)
{
    struct state *state = context->allocate(context, sizeof *state);
    struct session *sessions = context->allocate(context, SESSIONS * sizeof *sessions);
    struct header *headers = context->allocate(context, SESSIONS * sizeof *headers);
    if (!state || !sessions || !headers)
        return refuse(context, "out of memory");
    uint64_t random = context->seed | 1;
    for (uint32_t i = 0; i < SESSIONS; i++) {
        sessions[i].header = (struct header){i, below(&random, 1200)};
        headers[i] = sessions[i].header;
    }
    for (int i = 0; i < WHEEL; i++)
        state->wheel[i] = (uint16_t)below(&random, SESSIONS);
    state->sessions = sessions;
    state->headers = headers;
    *place = state;
    return true;
}

static void run_bad(void *place)
{
    struct state *state = place;
    state->result = expired_sessions(state->sessions, state->wheel, 1200);
}

static void run_good(void *place)
{
    struct state *state = place;
    state->result = expired_headers(state->headers, state->wheel, 1200);
}

PAIR(session_timeouts, 0, "Sessions that have timed out.");
