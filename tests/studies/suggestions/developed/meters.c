/* Meters of a router: each thread has its own, and counts the packets and bytes that it forwards. */
#include <stdatomic.h>

#include "workload.h"

enum { PACKETS = 200 * 1000, THREADS_MOST = 64, APART = 128 };

/* One thread writes a meter; any thread may read it for display. */
struct meter {
    _Atomic uint64_t packets;
    _Atomic uint64_t bytes;
};

struct apart {
    _Alignas(APART) struct meter meter;
};

struct work {
    uint8_t lengths[PACKETS];
    struct meter meters[THREADS_MOST];
    struct apart padded[THREADS_MOST];
    int threads;
    uint64_t packets;
    uint64_t bytes;
};

static void add(_Atomic uint64_t *count, uint64_t more)
{
    atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + more,
                          memory_order_relaxed);
}

static void forward(struct meter *meter, const uint8_t *lengths, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        add(&meter->packets, 1);
        add(&meter->bytes, lengths[i]);
    }
}

static struct meter *meter_of(struct work *work, bool apart, int thread)
{
    return apart ? &work->padded[thread].meter : &work->meters[thread];
}

static void forward_all(struct work *work, bool apart)
{
    const size_t share = PACKETS / (size_t)work->threads;
#pragma omp parallel for num_threads(work->threads) schedule(static, 1)
    for (int thread = 0; thread < work->threads; thread++)
        forward(meter_of(work, apart, thread), work->lengths + (size_t)thread * share, share);
    for (int thread = 0; thread < work->threads; thread++) {
        work->packets += meter_of(work, apart, thread)->packets;
        work->bytes += meter_of(work, apart, thread)->bytes;
    }
}

static void reset(struct work *work)
{
    for (size_t i = 0; i < THREADS_MOST; i++) {
        work->meters[i] = (struct meter){0};
        work->padded[i].meter = (struct meter){0};
    }
    work->packets = work->bytes = 0;
}

static void run_bad(void *state)
{
    reset(state);
    forward_all(state, false);
}

static void run_good(void *state)
{
    reset(state);
    forward_all(state, true);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    for (size_t i = 0; i < PACKETS; i++)
        work->lengths[i] = (uint8_t)workload_random(&sequence);
    work->threads = context->threads < THREADS_MOST ? (int)context->threads : THREADS_MOST;
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    const size_t count = PACKETS / (size_t)work->threads * (size_t)work->threads;
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += work->lengths[i];
    return workload_wrong(check, work->packets != count || work->bytes != bytes);
}

PAIR(meters, "Counts packets and bytes, a meter for each thread.");
