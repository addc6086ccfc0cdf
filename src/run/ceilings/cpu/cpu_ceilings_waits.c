/* The costs of waiting: for memory, for pages, for other threads. The shortest of many times
 * counts. */
#include <math.h>
#include <omp.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/random.h"
#include "run/ceilings/cpu/cpu_ceilings_parts.h"

/* Time of measuring for each figure, and its limit if other processes make samples long. */
static const double TIME_NS = 10e6, PATIENCE_NS = 200e6;
enum { SAMPLES_LEAST = 100 };

static double passed_ns(uint64_t start)
{
    return (double)(kg_clock_ns() - start);
}

static bool goes_on(uint64_t start, int samples)
{
    const double ns = passed_ns(start);
    return ns < TIME_NS || (samples < SAMPLES_LEAST && ns < PATIENCE_NS);
}

/* --- Memory --- */

enum { LINE_BYTES = 64, LINKS = 8192 };

/* One cycle through a line in each of LINKS slots, in random order (Sattolo 1986), and at a random
 * place: nothing can be fetched before it is asked for. Returns the first slot's link. */
static void **chain_make(void **slots, size_t slot_bytes)
{
    struct kg_random random = {1};
    const size_t words = slot_bytes / sizeof *slots, lines = slot_bytes / LINE_BYTES;
    void **links[LINKS];
    for (size_t i = 0; i < LINKS; i++) {
        const size_t line = (size_t)kg_random_below(&random, lines);
        links[i] = &slots[i * words + line * (LINE_BYTES / sizeof *slots)];
        *links[i] = (void *)links[i];
    }
    for (size_t i = LINKS - 1; i > 0; i--) {
        const size_t j = (size_t)kg_random_below(&random, i);
        void *swap = *links[i];
        *links[i] = *links[j];
        *links[j] = swap;
    }
    return links[0];
}

/* Follows the whole chain back to its start; NaN if the chain does not lead there. */
static double chain_walk_ns(void **start)
{
    void **link = start;
    const uint64_t begin = kg_clock_ns();
    for (int i = 0; i < LINKS; i++)
        link = *link;
    const double ns = passed_ns(begin);
    return link == start ? ns / LINKS : NAN;
}

double kg_cpu_latency_ns(const struct kg_cpu_code *code, void *memory, size_t bytes)
{
    enum { TIMES = 3 };
    const size_t slot_bytes = bytes / 2 / LINKS / LINE_BYTES * LINE_BYTES;
    const size_t block_bytes = KG_CPU_BLOCK_WORDS * sizeof(uint32_t);
    const char *half = (const char *)memory + slot_bytes * LINKS;
    const size_t blocks = bytes / 2 / block_bytes;
    double least = NAN;
    if (!slot_bytes)
        return NAN;
    void **start = chain_make(memory, slot_bytes);
    for (int i = 0; i < TIMES; i++) {
        volatile uint32_t sum =
            code->read((const void *)half, blocks * block_bytes / sizeof(uint32_t), 1);
        (void)sum;
        least = fmin(least, chain_walk_ns(start));
    }
    return least;
}

/* Uses small pages, like most programs, even if the system would give large ones. The time includes the
 * return of the pages, about a fifth of it. A program that takes memory in every call also returns
 * the memory of the call before. */
static double page_fault_ns(void)
{
    enum { PAGES = 512, TIMES = 10 };
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    double least = NAN;
    for (int i = 0; i < TIMES; i++) {
        const uint64_t start = kg_clock_ns();
        volatile char *memory =
            mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            return NAN;
        madvise((void *)memory, PAGES * page, MADV_NOHUGEPAGE);
        for (size_t j = 0; j < PAGES; j++)
            memory[j * page] = 1;
        munmap((void *)memory, PAGES * page);
        least = fmin(least, passed_ns(start) / PAGES);
    }
    return least;
}

/* --- Threads --- */

static double fork_join_ns(int threads)
{
    enum { REGIONS = 2 };
    const uint64_t start = kg_clock_ns();
    double least = NAN;
    for (int sample = 0; goes_on(start, sample); sample++) {
        const uint64_t begin = kg_clock_ns();
        for (int i = 0; i < REGIONS; i++) {
#pragma omp parallel num_threads(threads)
            __asm__ volatile("");
        }
        least = fmin(least, passed_ns(begin) / REGIONS);
    }
    return least;
}

static double barrier_ns(int threads)
{
    enum { BARRIERS = 20 };
    const uint64_t start = kg_clock_ns();
    double least = NAN;
    for (int sample = 0; goes_on(start, sample); sample++) {
        double ns = 0;
#pragma omp parallel num_threads(threads)
        {
#pragma omp barrier
            const uint64_t begin = kg_clock_ns();
            for (int i = 0; i < BARRIERS; i++) {
#pragma omp barrier
            }
#pragma omp master
            ns = passed_ns(begin);
        }
        least = fmin(least, ns / BARRIERS);
    }
    return least;
}

/* A wait of milliseconds is for the system's scheduler, on a machine whose CPUs are busy. */
static double of_threads(double ns)
{
    return ns < 1e6 ? ns : NAN;
}

/* A line that two threads write in turn: odd numbers the first, even ones the second. */
struct line {
    _Alignas(128) atomic_uint turn;
    _Alignas(128) atomic_bool over;
    const int *cpus;
    double least_ns; /* of a transfer */
};

enum { TRIPS = 200 }; /* there and back, a sample */

/* Waits for the other thread's answer; false if it did not come in time. */
static bool await(struct line *line, unsigned value, uint64_t start)
{
    enum { GLANCES = 1 << 14 };
    for (unsigned i = 1; atomic_load_explicit(&line->turn, memory_order_acquire) != value; i++)
        if (i % GLANCES == 0 && passed_ns(start) > PATIENCE_NS)
            return false;
    return true;
}

static bool trips_make(struct line *line, unsigned *turn, uint64_t start)
{
    for (int i = 0; i < TRIPS; i++) {
        atomic_store_explicit(&line->turn, ++*turn, memory_order_release);
        if (!await(line, ++*turn, start))
            return false;
    }
    return true;
}

static void line_serve(struct line *line)
{
    const uint64_t start = kg_clock_ns();
    unsigned turn = 0;
    for (int sample = 0; goes_on(start, sample); sample++) {
        const uint64_t begin = kg_clock_ns();
        if (!trips_make(line, &turn, start))
            break;
        line->least_ns = fmin(line->least_ns, passed_ns(begin) / (2.0 * TRIPS));
    }
    atomic_store(&line->over, true);
}

static void line_return(struct line *line)
{
    while (!atomic_load_explicit(&line->over, memory_order_relaxed)) {
        const unsigned turn = atomic_load_explicit(&line->turn, memory_order_acquire);
        if (turn % 2)
            atomic_store_explicit(&line->turn, turn + 1, memory_order_release);
    }
}

static bool line_play(void *state, int thread)
{
    struct line *line = state;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((unsigned)line->cpus[thread], &one);
    sched_setaffinity(0, sizeof one, &one);
    if (thread == 0)
        line_serve(line);
    else
        line_return(line);
    return true;
}

static bool line_measure(struct kg_cpu_measuring *measuring, struct kg_error *err)
{
    struct line line = {.cpus = measuring->caches.apart, .least_ns = NAN};
    if (measuring->caches.apart[0] < 0)
        return true;
    const bool good = kg_cpu_team_do(2, line_play, &line, err);
    measuring->ceilings->line_transfer_ns =
        fmin(measuring->ceilings->line_transfer_ns, line.least_ns);
    kg_cpu_team_pin(measuring, measuring->cpu_count);
    return good;
}

/* --- The core clock --- */

/* A product takes three cycles on all present x86-64 processors. Elsewhere the clock stays unknown. */
static double clock_hz(void)
{
#ifdef __x86_64__
    enum { CYCLES = 3, TIMES = 40 };
    double least_ns = NAN;
    for (int i = 0; i < TIMES; i++)
        least_ns = fmin(least_ns, kg_pulse_ns());
    return KG_PULSE_PRODUCTS * CYCLES / least_ns * 1e9;
#else
    return NAN;
#endif
}

bool kg_cpu_waits(struct kg_cpu_measuring *measuring, int threads, struct kg_error *err)
{
    struct kg_cpu_ceilings *ceilings = measuring->ceilings;
    if (threads == 1) {
        ceilings->clock_hz = fmax(ceilings->clock_hz, clock_hz());
        ceilings->page_fault_ns = fmin(ceilings->page_fault_ns, page_fault_ns());
        return true;
    }
    ceilings->fork_join_ns = fmin(ceilings->fork_join_ns, of_threads(fork_join_ns(threads)));
    ceilings->barrier_ns = fmin(ceilings->barrier_ns, of_threads(barrier_ns(threads)));
    return line_measure(measuring, err);
}
