/* filter_children.c: messages pass through a filter, in a child process or by a call. */
#include "judged.h"

#include <sys/wait.h>

enum { MESSAGES = 5, MESSAGE_BYTES = 7000 };

struct state {
    double result;
    char messages[MESSAGES][MESSAGE_BYTES];
};

/* How likely a message is unwanted: letters that repeat, and the share of each letter. */
static ELSEWHERE uint32_t score_message(const char *message)
{
    uint32_t counts[32] = {0}, score = 0;
    for (size_t i = 1; i < MESSAGE_BYTES; i++) {
        score += message[i] == message[i - 1];
        score += ++counts[message[i] & 31] >> 5;
    }
    return score;
}

static void be_the_child(int pipe_end, const char *message)
{
    const uint32_t score = score_message(message);
    _exit(write(pipe_end, &score, sizeof score) == (ssize_t)sizeof score ? 0 : 1);
}

static ELSEWHERE uint32_t score_in_child(const char *message)
{
    int ends[2];
    if (pipe(ends))
        return 0;
    const pid_t child = fork();
    if (child == 0)
        be_the_child(ends[1], message);
    close(ends[1]);
    uint32_t score = 0;
    if (read(ends[0], &score, sizeof score) != (ssize_t)sizeof score)
        score = 0;
    close(ends[0]);
    waitpid(child, NULL, 0);
    return score;
}

static bool set_up(struct kgate_context *context, void **place)
{
    struct state *state = context->allocate(context, sizeof *state);
    if (!state)
        return refuse(context, "out of memory");
    uint64_t random = context->seed | 1;
    for (int i = 0; i < MESSAGES; i++)
        for (int j = 0; j < MESSAGE_BYTES; j++)
            state->messages[i][j] = (char)('a' + below(&random, 26));
    *place = state;
    return true;
}

static void run_bad(void *place)
{
    struct state *state = place;
    state->result = 0;
    for (int i = 0; i < MESSAGES; i++)
        state->result += score_in_child(state->messages[i]);
}

static void run_good(void *place)
{
    struct state *state = place;
    state->result = 0;
    for (int i = 0; i < MESSAGES; i++)
        state->result += score_message(state->messages[i]);
}

PAIR(filter_children, 0, "Messages through a filter.");
