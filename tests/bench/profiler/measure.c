#include "measure.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    BATCHES = 33,
    BUFFER_SLOTS = 1024, /* what a thread's buffer has by itself */
    SPARE_SLOTS = 64,
    FILE_SCOPES = 100000,
    THREADS_MOST = 256
};

double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_size);
    return values[count / 2];
}

void pin(unsigned cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
}

struct job {
    const struct variant *variant;
    unsigned turns, turns_before, batches;
    unsigned cpu, threads;
    unsigned *arrived; /* at the gates, all threads together */
    double ns;         /* a scope: the result */
};

/* All threads leave it at once, spinning: a sleeping one would come microseconds late. */
static void gate(const struct job *job, unsigned number)
{
    __atomic_add_fetch(job->arrived, 1, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(job->arrived, __ATOMIC_ACQUIRE) < (number + 1) * job->threads)
        ;
}

static void *job_do(void *argument)
{
    struct job *job = argument;
    const struct variant *variant = job->variant;
    double took[BATCHES];
    pin(job->cpu);
    variant->loop(job->turns);
    for (unsigned batch = 0; batch < job->batches; batch++) {
        if (variant->flush)
            variant->flush();
        gate(job, 2 * batch);
        variant->loop(job->turns_before);
        gate(job, 2 * batch + 1);
        const double start = now_ns();
        variant->loop(job->turns);
        took[batch] = now_ns() - start;
    }
    job->ns = median(took, job->batches) / job->turns / variant->scopes;
    return NULL;
}

/* The mean over the threads. */
static double jobs_do(const struct job *like, unsigned threads)
{
    pthread_t handles[THREADS_MOST];
    struct job jobs[THREADS_MOST];
    unsigned arrived = 0;
    double sum = 0;
    for (unsigned i = 0; i < threads; i++) {
        jobs[i] = *like;
        jobs[i].cpu = i;
        jobs[i].threads = threads;
        jobs[i].arrived = &arrived;
        if (pthread_create(&handles[i], NULL, job_do, &jobs[i]) != 0)
            abort();
    }
    for (unsigned i = 0; i < threads; i++) {
        pthread_join(handles[i], NULL);
        sum += jobs[i].ns;
    }
    return sum / threads;
}

static void both(const struct job *job, const char *where)
{
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    const unsigned all = (unsigned)CPU_COUNT(&set);
    printf("%s.%s.one\t%.5f\n", job->variant->name, where, jobs_do(job, 1));
    printf("%s.%s.all\t%.5f\n", job->variant->name, where,
           jobs_do(job, all < THREADS_MOST ? all : THREADS_MOST));
}

void measure(const struct variant *variant)
{
    const unsigned many = FILE_SCOPES / variant->scopes;
    struct job job = {.variant = variant, .turns = many, .batches = BATCHES / 6};
    if (variant->slots) {
        /* The flush may have been another thread's, whose processor then has the buffer in its
         * cache: once around, so that the thread itself has emptied it last and little is in it. */
        job.turns_before = (BUFFER_SLOTS + SPARE_SLOTS / 2) / variant->slots;
        job.turns = (BUFFER_SLOTS - SPARE_SLOTS) / variant->slots;
        job.batches = BATCHES;
    }
    both(&job, "buffer");
    if (!variant->slots)
        return;
    job = (struct job){.variant = variant, .turns = many, .batches = 3};
    both(&job, "file");
}
