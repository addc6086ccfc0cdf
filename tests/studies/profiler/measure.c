#include "measure.h"

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "loops.h"

enum {
    BATCHES = 33,
    BUFFER_SLOTS = 1024, /* slots of a thread's buffer by default */
    SPARE_SLOTS = 64,
    FILE_SCOPES = 20000, /* fill the buffer some twenty times */
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

static inline uint64_t stamp(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    uint64_t count;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
    return count;
#endif
}

void floor_loop(unsigned turns)
{
    for (unsigned i = 0; i < turns; i++) {
        const uint64_t start = stamp();
        BARRIER();
        const uint64_t duration = stamp() - start;
        __asm__ volatile("" : : "r"(duration));
    }
}

struct job {
    const struct variant *variant;
    unsigned turns, turns_before, batches;
    unsigned cpu, threads;
    unsigned *arrived; /* at the gates, all threads together */
    double ns, ratio;  /* a scope, and over the floor: the results */
};

/* All threads leave it at once, spinning: a sleeping one would come microseconds late. */
static void gate(const struct job *job, unsigned number)
{
    __atomic_add_fetch(job->arrived, 1, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(job->arrived, __ATOMIC_ACQUIRE) < (number + 1) * job->threads)
        ;
}

static double loop_ns(void (*loop)(unsigned turns), unsigned turns)
{
    const double start = now_ns();
    loop(turns);
    return (now_ns() - start) / turns;
}

/* A batch of the variant between two of the floor, each half as long. So changes of the processor's
 * clock, or a neighbour, affect both. */
static void batch_do(const struct job *job, double *ns, double *ratio)
{
    const struct variant *variant = job->variant;
    const unsigned half = job->turns * variant->scopes / 2;
    const double before = loop_ns(floor_loop, half);
    *ns = loop_ns(variant->loop, job->turns) / variant->scopes;
    *ratio = 2 * *ns / (before + loop_ns(floor_loop, half));
}

static void *job_do(void *argument)
{
    struct job *job = argument;
    const struct variant *variant = job->variant;
    double took[BATCHES], ratios[BATCHES];
    pin(job->cpu);
    variant->loop(job->turns);
    for (unsigned batch = 0; batch < job->batches; batch++) {
        if (variant->flush)
            variant->flush();
        gate(job, 2 * batch);
        variant->loop(job->turns_before);
        gate(job, 2 * batch + 1);
        batch_do(job, &took[batch], &ratios[batch]);
    }
    job->ns = median(took, job->batches);
    job->ratio = median(ratios, job->batches);
    return NULL;
}

/* The means over the threads. */
static void jobs_do(const struct job *like, unsigned threads, const char *where)
{
    pthread_t handles[THREADS_MOST];
    struct job jobs[THREADS_MOST];
    unsigned arrived = 0;
    double ns = 0, ratio = 0;
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
        ns += jobs[i].ns / threads;
        ratio += jobs[i].ratio / threads;
    }
    printf("%s.%s\t%.5f\n%s.%s.ratio\t%.5f\n", like->variant->name, where, ns, like->variant->name,
           where, ratio);
}

static void both(const struct job *job, bool file)
{
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    const unsigned all = (unsigned)CPU_COUNT(&set);
    jobs_do(job, 1, file ? "file.one" : "buffer.one");
    jobs_do(job, all < THREADS_MOST ? all : THREADS_MOST, file ? "file.all" : "buffer.all");
}

void measure(const struct variant *variant)
{
    const unsigned many = FILE_SCOPES / variant->scopes;
    struct job job = {.variant = variant, .turns = many, .batches = BATCHES / 2};
    if (variant->slots) {
        /* The last flush may have run on another processor, which then has the buffer in its cache.
         * So fill the buffer once: then this thread has emptied it last, and it is nearly empty. */
        job.turns_before = (BUFFER_SLOTS + SPARE_SLOTS / 2) / variant->slots;
        job.turns = (BUFFER_SLOTS - SPARE_SLOTS) / variant->slots;
        job.batches = BATCHES;
    }
    both(&job, false);
    if (!variant->slots)
        return;
    job = (struct job){.variant = variant, .turns = many, .batches = BATCHES / 2};
    both(&job, true);
}
