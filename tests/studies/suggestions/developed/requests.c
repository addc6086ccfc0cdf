/* Serves short requests: the number of words in a line. */
#include <pthread.h>

#include "workload.h"

enum { REQUESTS = 60, LINE = 200 };

struct request {
    char line[LINE];
    unsigned words;
};

struct work {
    struct request requests[REQUESTS];
};

static void *serve(void *argument)
{
    struct request *request = argument;
    unsigned words = 0;
    for (size_t i = 0; i < LINE; i++)
        words += request->line[i] != ' ' && (i == 0 || request->line[i - 1] == ' ');
    request->words = words;
    return NULL;
}

static void serve_in_thread(struct request *request)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, serve, request) == 0)
        pthread_join(thread, NULL);
}

static void run_bad(void *state)
{
    struct work *work = state;
    for (size_t i = 0; i < REQUESTS; i++)
        serve_in_thread(&work->requests[i]);
}

static void run_good(void *state)
{
    struct work *work = state;
    for (size_t i = 0; i < REQUESTS; i++)
        serve(&work->requests[i]);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    for (size_t i = 0; i < REQUESTS; i++)
        for (size_t j = 0; j < LINE; j++)
            work->requests[i].line[j] = workload_random(&sequence) % 6 ? 'w' : ' ';
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    size_t wrong = 0;
    for (size_t i = 0; i < REQUESTS; i++) {
        const char *at = work->requests[i].line, *const end = at + LINE;
        unsigned words = 0;
        while (at < end) {
            while (at < end && *at == ' ')
                at++;
            words += at < end;
            while (at < end && *at != ' ')
                at++;
        }
        wrong += words != work->requests[i].words;
    }
    return workload_wrong(check, wrong);
}

PAIR(requests, "Counts the words of lines, one a request.");
