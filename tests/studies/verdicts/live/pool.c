/* pool.c: a pool of two threads that take jobs from a queue, with a mutex and condition variables. */
#include <pthread.h>

#include "ordinary.h"

enum { WORKERS = 2, JOB_STEPS = 5000 };

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t more, done;
    unsigned queued, running;
    bool stop;
    uint64_t sum;
} pool = {.mutex = PTHREAD_MUTEX_INITIALIZER,
          .more = PTHREAD_COND_INITIALIZER,
          .done = PTHREAD_COND_INITIALIZER};
static pthread_t workers[WORKERS];

static uint64_t job(uint64_t seed)
{
    uint64_t random = seed + 1, sum = 0;
    for (int i = 0; i < JOB_STEPS; i++)
        sum += xorshift(&random) & 1;
    return sum;
}

static void *work(void *unused)
{
    pthread_mutex_lock(&pool.mutex);
    for (;;) {
        while (!pool.queued && !pool.stop)
            pthread_cond_wait(&pool.more, &pool.mutex);
        if (pool.stop)
            break;
        const unsigned number = pool.queued--;
        pool.running++;
        pthread_mutex_unlock(&pool.mutex);
        const uint64_t sum = job(number);
        pthread_mutex_lock(&pool.mutex);
        pool.sum += sum;
        if (--pool.running == 0 && !pool.queued)
            pthread_cond_signal(&pool.done);
    }
    pthread_mutex_unlock(&pool.mutex);
    return unused;
}

static bool set_up(struct kgate_context *context, void **state)
{
    (void)context;
    *state = NULL;
    for (int i = 0; i < WORKERS; i++)
        if (pthread_create(&workers[i], NULL, work, NULL) != 0)
            return false;
    return true;
}

static void run(void *state)
{
    (void)state;
    pthread_mutex_lock(&pool.mutex);
    pool.queued = turns;
    pthread_cond_broadcast(&pool.more);
    while (pool.queued || pool.running)
        pthread_cond_wait(&pool.done, &pool.mutex);
    pthread_mutex_unlock(&pool.mutex);
}

static void tear_down(struct kgate_context *context, void *state)
{
    (void)context;
    (void)state;
    pthread_mutex_lock(&pool.mutex);
    pool.stop = true;
    pthread_cond_broadcast(&pool.more);
    pthread_mutex_unlock(&pool.mutex);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
}

const struct kgate_workload pool_workload = {.name = "pool",
                                             .summary = "Jobs for a pool of two threads.",
                                             .devices = 1u << KGATE_DEVICE_CPU,
                                             .revision = 1,
                                             .set_up = set_up,
                                             .run = run,
                                             .tear_down = tear_down};
