#include <math.h>
#include <omp.h>

#include "base/clock.h"
#include "run/ceilings/cpu/cpu_ceilings_parts.h"

/* If other processes use the CPUs too, threads wait for each other, and a sample takes many times as
 * long. Fewer samples are then taken. */
enum { SAMPLES = 6, SAMPLES_LEAST = 3, SAMPLE_NS = 1000000, PATIENCE_NS = 60000000 };

static bool missing(int threads, int found, struct kg_error *err)
{
    return kg_error_set(err, KG_ERROR_MEASURE, "OpenMP starts only %d of %d threads", found,
                        threads);
}

static bool wrong(struct kg_error *err)
{
    return kg_error_set(err, KG_ERROR_MEASURE, "a result of the CPU is wrong");
}

bool kg_cpu_team_do(int threads, kg_cpu_work *work, void *state, struct kg_error *err)
{
    bool right = true;
    int found = threads;
#pragma omp parallel num_threads(threads) reduction(&& : right) reduction(min : found)
    {
        found = omp_get_num_threads();
        right = work(state, omp_get_thread_num());
    }
    if (found < threads)
        return missing(threads, found, err);
    return right ? true : wrong(err);
}

/* The work of all threads during a sample. */
struct sample {
    uint64_t turns;    /* number of calls */
    uint64_t start_ns; /* of the first thread */
    uint64_t end_ns;   /* of the last thread */
    double pace;       /* calls per ns of a thread's CPU time, summed over the threads */
    bool right;
    int found;
};

/* Calls per ns of CPU time. NaN if the thread's CPU clock stood still or ran faster than time: on some
 * systems it counts whole ticks. */
static double pace_of(uint64_t turns, uint64_t own, uint64_t wall)
{
    static const double EXACT = 1.05;
    return own > 0 && (double)own <= EXACT * (double)wall ? (double)turns / (double)own : NAN;
}

static struct sample sample_take(int threads, kg_cpu_work *work, void *state)
{
    uint64_t turns = 0, first = UINT64_MAX, last = 0;
    double pace = 0;
    bool right = true;
    int found = threads;
#pragma omp parallel num_threads(threads) reduction(+ : turns, pace) reduction(min : first, found) \
    reduction(max : last) reduction(&& : right)
    {
        const int thread = omp_get_thread_num();
        uint64_t now;
        found = omp_get_num_threads();
#pragma omp barrier
        const uint64_t own = kg_clock_thread_ns();
        first = kg_clock_ns();
        do {
            right = work(state, thread) && right;
            turns++;
            now = kg_clock_ns();
        } while (now - first < SAMPLE_NS);
        pace = pace_of(turns, kg_clock_thread_ns() - own, now - first);
        last = now;
    }
    return (struct sample){turns, first, last, pace, right, found};
}

bool kg_cpu_team_rate(int threads, const struct kg_cpu_task *task, double *rate,
                      struct kg_error *err)
{
    const uint64_t start = kg_clock_ns();
    for (int i = 0; i < SAMPLES; i++) {
        if (i >= SAMPLES_LEAST && kg_clock_ns() - start > PATIENCE_NS)
            return true;
        const struct sample sample = sample_take(threads, task->work, task->state);
        if (sample.found < threads)
            return missing(threads, sample.found, err);
        if (!sample.right)
            return wrong(err);
        const double ns = (double)(sample.end_ns - sample.start_ns);
        *rate = fmax(*rate, task->amount * (double)sample.turns / ns * 1e9);
        if (threads > 1 && !task->shared)
            *rate = fmax(*rate, task->amount * sample.pace * 1e9);
    }
    return true;
}

static bool pin(void *state, int thread)
{
    const struct kg_cpu_measuring *measuring = state;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((unsigned)measuring->cpus[measuring->cpu_count - 1 - thread], &one);
    sched_setaffinity(0, sizeof one, &one);
    return true;
}

void kg_cpu_team_pin(const struct kg_cpu_measuring *measuring, int threads)
{
    struct kg_error ignored;
    kg_cpu_team_do(threads, pin, (void *)measuring, &ignored);
}

static bool unpin(void *state, int thread)
{
    (void)thread;
    sched_setaffinity(0, sizeof(cpu_set_t), state);
    return true;
}

void kg_cpu_team_unpin(const cpu_set_t *set, int threads)
{
    struct kg_error ignored;
    kg_cpu_team_do(threads, unpin, (void *)set, &ignored);
}
