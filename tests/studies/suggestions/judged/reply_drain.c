/* reply_drain.c: queries to a service over a socket; client and service share a process here. */
#include "judged.h"

#include <poll.h>
#include <sys/socket.h>

enum { QUERIES = 4, PRICES = 200000, QUIET_MS = 1 };

struct reply {
    uint32_t length, found;
    uint64_t sum;
};

struct state {
    double result;
    int client, service;
    uint32_t prices[PRICES];
};

/* The service: how many prices are below the one asked for, and their sum. */
static bool answer(const struct state *state)
{
    uint32_t most;
    if (read(state->service, &most, sizeof most) != (ssize_t)sizeof most)
        return false;
    struct reply reply = {.length = sizeof reply};
    for (int i = 0; i < PRICES; i++) {
        const bool found = state->prices[i] < most;
        reply.found += found;
        reply.sum += found ? state->prices[i] : 0;
    }
    return write(state->service, &reply, sizeof reply) == (ssize_t)sizeof reply;
}

/* Reads until nothing more has come for a while. */
static ELSEWHERE bool read_until_quiet(int client, struct reply *reply)
{
    size_t got = 0;
    struct pollfd wait = {.fd = client, .events = POLLIN};
    while (poll(&wait, 1, QUIET_MS) > 0 && got < sizeof *reply) {
        const ssize_t bytes = read(client, (char *)reply + got, sizeof *reply - got);
        if (bytes <= 0)
            return false;
        got += (size_t)bytes;
    }
    return got == reply->length;
}

/* Reads as much as the reply's first word says. */
static ELSEWHERE bool read_whole_reply(int client, struct reply *reply)
{
    size_t got = 0;
    while (got < sizeof reply->length || got < reply->length) {
        const ssize_t bytes = read(client, (char *)reply + got, sizeof *reply - got);
        if (bytes <= 0)
            return false;
        got += (size_t)bytes;
    }
    return true;
}

static double query(const struct state *state, uint32_t most,
                    bool (*receive)(int client, struct reply *reply))
{
    struct reply reply = {0};
    if (write(state->client, &most, sizeof most) != (ssize_t)sizeof most || !answer(state) ||
        !receive(state->client, &reply))
        return -1e9;
    return reply.found + (double)reply.sum / 1e6;
}

static bool set_up(struct kgate_context *context, void **place)
{
    struct state *state = context->allocate(context, sizeof *state);
    int ends[2];
    if (!state || socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
        return refuse(context, "no socket");
    state->client = ends[0];
    state->service = ends[1];
    uint64_t random = context->seed | 1;
    for (int i = 0; i < PRICES; i++)
        state->prices[i] = below(&random, 100000);
    *place = state;
    return true;
}

static void run_bad(void *place)
{
    struct state *state = place;
    state->result = 0;
    for (uint32_t i = 0; i < QUERIES; i++)
        state->result += query(state, 20000 * i, read_until_quiet);
}

static void run_good(void *place)
{
    struct state *state = place;
    state->result = 0;
    for (uint32_t i = 0; i < QUERIES; i++)
        state->result += query(state, 20000 * i, read_whole_reply);
}

PAIR(reply_drain, 0, "Queries over a socket.");
