/* locks.c: two threads that count together under one mutex. */
#include <pthread.h>

#include "ordinary.h"

enum { COUNTS = 100 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t start, end;
static pthread_t second;
static bool stop;
static uint64_t counter;

static void count(void)
{
    for (unsigned i = 0; i < turns * COUNTS; i++) {
        pthread_mutex_lock(&mutex);
        counter++;
        pthread_mutex_unlock(&mutex);
    }
}

static void *second_thread(void *unused)
{
    for (;;) {
        pthread_barrier_wait(&start);
        if (stop)
            return unused;
        count();
        pthread_barrier_wait(&end);
    }
}

static bool set_up(struct kgate_context *context, void **state)
{
    (void)context;
    *state = NULL;
    stop = false;
    return pthread_barrier_init(&start, NULL, 2) == 0 && pthread_barrier_init(&end, NULL, 2) == 0 &&
           pthread_create(&second, NULL, second_thread, NULL) == 0;
}

static void run(void *state)
{
    (void)state;
    pthread_barrier_wait(&start);
    count();
    pthread_barrier_wait(&end);
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    (void)state;
    *check = (struct kgate_check){.error = counter == 2 * (uint64_t)turns * COUNTS ? 0 : 1};
    return true;
}

static void tear_down(struct kgate_context *context, void *state)
{
    (void)context;
    (void)state;
    stop = true;
    pthread_barrier_wait(&start);
    pthread_join(second, NULL);
}

const struct kgate_workload locks_workload = {.name = "locks",
                                              .summary = "Two threads, one mutex.",
                                              .devices = 1u << KGATE_DEVICE_CPU,
                                              .revision = 1,
                                              .set_up = set_up,
                                              .run = run,
                                              .check = check,
                                              .tear_down = tear_down};
