#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

enum { THREADS_MOST = 16 };

/* The parts of a thread: every `step`-th from `first` on. */
struct share {
    size_t first, step, count;
    void (*run)(void *user, size_t part);
    void *user;
};

static void *share_run(void *of)
{
    const struct share *share = of;
    for (size_t part = share->first; part < share->count; part += share->step)
        share->run(share->user, part);
    return NULL;
}

static size_t threads_for(size_t count)
{
    cpu_set_t set;
    const int cpus = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    const size_t most = cpus < THREADS_MOST ? (size_t)cpus : THREADS_MOST;
    return count < most ? count : most;
}

void kg_parallel(size_t count, void (*run)(void *user, size_t part), void *user)
{
    pthread_t threads[THREADS_MOST];
    struct share shares[THREADS_MOST];
    bool started[THREADS_MOST] = {false};
    const size_t step = threads_for(count);
    for (size_t i = 0; i < step; i++) {
        shares[i] = (struct share){i, step, count, run, user};
        started[i] = i > 0 && pthread_create(&threads[i], NULL, share_run, &shares[i]) == 0;
    }
    for (size_t i = 0; i < step; i++)
        if (!started[i])
            share_run(&shares[i]);
    for (size_t i = 0; i < step; i++)
        if (started[i])
            pthread_join(threads[i], NULL);
}
