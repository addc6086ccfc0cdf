#include "work.h"

#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 2, BLOCKS = 64, REGIONS = 50 };

/* A chain of multiplications. Each waits for its predecessor, and no compiler shortens the
 * chain. */
static void chain(uint64_t steps)
{
    uint64_t x = steps;
    for (uint64_t i = 0; i < steps; i++) {
        x = x * 6364136223846793005U + 1442695040888963407U;
        __asm__ volatile("" : "+r"(x));
    }
}

static void blocks(uint64_t steps)
{
    static void *held[BLOCKS];
    uint64_t x = 1;
    for (uint64_t i = 0; i < steps; i++) {
        x = x * 6364136223846793005U + 1442695040888963407U;
        const size_t at = x >> 58;
        free(held[at]);
        held[at] = malloc(16 + (x >> 40) % 1000);
        if (held[at])
            memset(held[at], 1, 16);
    }
}

static void region(uint64_t steps)
{
#pragma omp parallel num_threads(THREADS)
    chain(steps);
}

static void regions(uint64_t steps)
{
    for (int i = 0; i < REGIONS; i++)
        region(steps);
}

/* Teams of one and of two threads alternate. */
static void regions_of_both(uint64_t steps)
{
    for (int i = 0; i < REGIONS; i++)
#pragma omp parallel num_threads(1 + i % 2)
        chain(steps);
}

/* --- A pool of one thread besides the caller ------------------------------------------------- */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t more, done;
    uint64_t steps, asked, answered;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .more = PTHREAD_COND_INITIALIZER,
          .done = PTHREAD_COND_INITIALIZER};

static void *pool_thread(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        while (pool.asked == pool.answered)
            pthread_cond_wait(&pool.more, &pool.lock);
        const uint64_t steps = pool.steps;
        pthread_mutex_unlock(&pool.lock);
        chain(steps);
        pthread_mutex_lock(&pool.lock);
        pool.answered++;
        pthread_cond_signal(&pool.done);
    }
    return NULL;
}

static void pooled(uint64_t steps)
{
    pthread_mutex_lock(&pool.lock);
    pool.steps = steps;
    pool.asked++;
    pthread_cond_signal(&pool.more);
    pthread_mutex_unlock(&pool.lock);
    chain(steps);
    pthread_mutex_lock(&pool.lock);
    while (pool.asked != pool.answered)
        pthread_cond_wait(&pool.done, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
}

/* --- A pool whose threads spin while they wait ------------------------------------------------ */

static struct {
    _Alignas(64) atomic_ulong asked;
    _Alignas(64) atomic_ulong answered;
    uint64_t steps;
} spun;

static void *spin_thread(void *unused)
{
    (void)unused;
    for (unsigned long next = 1;; next++) {
        while (atomic_load_explicit(&spun.asked, memory_order_acquire) != next)
            continue;
        chain(spun.steps);
        atomic_store_explicit(&spun.answered, next, memory_order_release);
    }
    return NULL;
}

static void spinning(uint64_t steps)
{
    spun.steps = steps;
    const unsigned long next = atomic_load(&spun.asked) + 1;
    atomic_store_explicit(&spun.asked, next, memory_order_release);
    chain(steps);
    while (atomic_load_explicit(&spun.answered, memory_order_acquire) != next)
        continue;
}

const struct truth_work truth_works[] = {
    {"chain", 1, chain},
    {"blocks", 1, blocks},
    {"region", THREADS, region},
    {"regions", THREADS, regions},
    {"regions_of_both", THREADS, regions_of_both},
    {"pooled", THREADS, pooled},
    {"spinning", THREADS, spinning},
};
const size_t truth_work_count = sizeof truth_works / sizeof *truth_works;

const struct truth_work *truth_find(const char *name)
{
    for (size_t i = 0; i < truth_work_count; i++)
        if (!strcmp(truth_works[i].name, name))
            return &truth_works[i];
    return NULL;
}

static void keep_on(unsigned number)
{
    cpu_set_t allowed, one;
    unsigned seen = 0;
    sched_getaffinity(0, sizeof allowed, &allowed);
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed) && seen++ == number % (unsigned)CPU_COUNT(&allowed)) {
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            sched_setaffinity(0, sizeof one, &one);
            return;
        }
}

static void *bound_start(void *body)
{
    void *(*const run)(void *) = *(void *(**)(void *))body;
    keep_on(1);
    return run(NULL);
}

static void thread_start(void *(*body)(void *), bool bind)
{
    static void *(*kept)(void *);
    pthread_t thread;
    kept = body;
    if (pthread_create(&thread, NULL, bind ? bound_start : body, &kept) == 0)
        pthread_detach(thread);
}

void truth_start(const struct truth_work *work, bool bind)
{
    if (work->run == pooled)
        thread_start(pool_thread, bind);
    else if (work->run == spinning)
        thread_start(spin_thread, bind);
    else if (work->threads > 1 && bind)
#pragma omp parallel num_threads(THREADS)
        keep_on((unsigned)omp_get_thread_num());
    if (bind && work->threads > 1)
        keep_on(0);
}
