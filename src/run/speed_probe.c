#include "run/run.h"

#include <math.h>
#include <sched.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/random.h"

enum {
    STREAM_BYTES = 32 * 1024 * 1024,
    WINDOW_BYTES = 2 * 1024 * 1024,
    LINE_BYTES = 64,
    CHAIN_BYTES = 8 * 1024 * 1024,
    LINKS = CHAIN_BYTES / LINE_BYTES,
    WORDS_A_LINE = LINE_BYTES / sizeof(void *),
    STEPS = 2000
};
static const uint64_t EVERY_NS = 100000000;

/* One cycle through all lines in random order (Sattolo 1986): no prefetcher can follow. */
static void chain_make(void **chain)
{
    struct kg_random random = {1};
    for (size_t i = 0; i < LINKS; i++)
        chain[i * WORDS_A_LINE] = &chain[i * WORDS_A_LINE];
    for (size_t i = LINKS - 1; i > 0; i--) {
        const size_t j = (size_t)kg_random_below(&random, i);
        void *swap = chain[i * WORDS_A_LINE];
        chain[i * WORDS_A_LINE] = chain[j * WORDS_A_LINE];
        chain[j * WORDS_A_LINE] = swap;
    }
}

/* Zeroed pages, all made by one call: page faults take more than twice as long. NULL if there is no memory for them. */
static void *pages_make(size_t bytes)
{
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

static void pages_free(void *pages, size_t bytes)
{
    if (pages)
        munmap(pages, bytes);
}

void kg_probe_start(struct kg_probe *probe, uint64_t started_ns)
{
    *probe = (struct kg_probe){.started_ns = started_ns, .every_ns = EVERY_NS};
    probe->stream = pages_make(STREAM_BYTES);
    probe->chain = pages_make(CHAIN_BYTES);
    if (!probe->stream || !probe->chain) {
        kg_probe_free(probe);
        return;
    }
    chain_make(probe->chain);
    probe->link = probe->chain;
}

static double bandwidth(struct kg_probe *probe)
{
    const uint64_t *words = (const void *)(probe->stream + probe->at);
    uint64_t sums[8] = {0};
    const uint64_t start = kg_clock_ns();
    for (size_t i = 0; i < WINDOW_BYTES / sizeof *words; i += 8)
        for (size_t k = 0; k < 8; k++)
            sums[k] += words[i + k];
    const uint64_t end = kg_clock_ns();
    for (size_t k = 0; k < 8; k++)
        __asm__ volatile("" : : "r"(sums[k]));
    probe->at = (probe->at + WINDOW_BYTES) % STREAM_BYTES;
    return 1e9 * WINDOW_BYTES / fmax(1, (double)(end - start));
}

static double latency(struct kg_probe *probe)
{
    void **link = probe->link;
    const uint64_t start = kg_clock_ns();
    for (int i = 0; i < STEPS; i++)
        link = *link;
    const uint64_t end = kg_clock_ns();
    probe->link = link;
    return (double)(end - start) / STEPS;
}

/* Drops every second reading, and takes them half as often from now on. */
static void readings_thin(struct kg_probe *probe, struct kg_results *results)
{
    size_t kept = 0;
    for (size_t i = 0; i < results->probe_count; i += 2)
        results->probes[kept++] = results->probes[i];
    results->probe_count = kept;
    probe->every_ns *= 2;
}

static struct kg_probe_reading reading_take(struct kg_probe *probe)
{
    /* The first reading after a wait is thrown away: the core's clock is still rising. */
    kg_pulse_ns();
    return (struct kg_probe_reading){
        .at_ns = (double)(kg_clock_ns() - probe->started_ns),
        .pulse_ns = kg_pulse_ns(),
        .bandwidth_bytes_per_s = bandwidth(probe),
        .latency_ns = latency(probe),
    };
}

void kg_probe_take(struct kg_probe *probe, int cpu, struct kg_results *results)
{
    cpu_set_t before, one;
    if (!probe->stream || kg_clock_ns() - probe->last_ns < probe->every_ns)
        return;
    if (!results->probes)
        results->probes = kg_arena_alloc(&results->arena, KG_PROBES_MOST, sizeof *results->probes);
    if (!results->probes)
        return;
    if (results->probe_count == KG_PROBES_MOST)
        readings_thin(probe, results);
    const bool move = cpu >= 0 && sched_getaffinity(0, sizeof before, &before) == 0;
    CPU_ZERO(&one);
    if (move)
        CPU_SET((unsigned)cpu, &one);
    if (!move || sched_setaffinity(0, sizeof one, &one) == 0) {
        results->probes[results->probe_count++] = reading_take(probe);
        if (move)
            sched_setaffinity(0, sizeof before, &before);
    }
    probe->last_ns = kg_clock_ns();
}

void kg_probe_free(struct kg_probe *probe)
{
    pages_free(probe->stream, STREAM_BYTES);
    pages_free(probe->chain, CHAIN_BYTES);
    *probe = (struct kg_probe){0};
}
