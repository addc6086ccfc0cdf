/* Asks a service thread ten questions, and polls for each answer now and then; or answers them
 * itself. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include "workload.h"

enum { JOBS = 10, VALUES = 32 * 1024 };

struct work {
    uint32_t values[VALUES];
    sem_t asked;
    sem_t answered;
    atomic_bool done;
    bool ended;
    bool started;
    uint32_t question;
    uint64_t answer;
    uint64_t sum;
    pthread_t helper;
};

static uint64_t sum_for(const struct work *work, uint32_t question)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < VALUES; i++)
        sum += work->values[i] ^ question;
    return sum;
}

static void *help(void *argument)
{
    struct work *work = argument;
    while (sem_wait(&work->asked) != 0 || !work->ended) {
        work->answer = sum_for(work, work->question);
        atomic_store(&work->done, true);
        sem_post(&work->answered);
    }
    return NULL;
}

static void ask(struct work *work, uint32_t question)
{
    work->question = question;
    atomic_store(&work->done, false);
    sem_post(&work->asked);
}

static uint64_t answer_polled(struct work *work)
{
    const struct timespec pause = {.tv_nsec = 200 * 1000};
    while (!atomic_load(&work->done))
        nanosleep(&pause, NULL);
    sem_wait(&work->answered);
    return work->answer;
}

static void run_bad(void *state)
{
    struct work *work = state;
    work->sum = 0;
    for (uint32_t job = 1; job <= JOBS; job++) {
        ask(work, job);
        work->sum += answer_polled(work);
    }
}

static void run_good(void *state)
{
    struct work *work = state;
    work->sum = 0;
    for (uint32_t job = 1; job <= JOBS; job++)
        work->sum += sum_for(work, job);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    for (size_t i = 0; i < VALUES; i++)
        work->values[i] = (uint32_t)workload_random(&sequence);
    sem_init(&work->asked, 0, 0);
    sem_init(&work->answered, 0, 0);
    work->started = pthread_create(&work->helper, NULL, help, work) == 0;
    if (!work->started)
        snprintf(context->message, sizeof context->message, "no thread");
    return work->started;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    uint64_t expected = 0;
    for (uint32_t job = 1; job <= JOBS; job++)
        expected += sum_for(work, job);
    return workload_wrong(check, work->sum != expected);
}

static void tear_down(struct kgate_context *context, void *state)
{
    struct work *work = state;
    if (work && work->started) {
        work->ended = true;
        sem_post(&work->asked);
        pthread_join(work->helper, NULL);
    }
    workload_end(context, state);
}

PAIR_ENDED(spooler, "Asks another thread, and waits for its answers.", tear_down);
