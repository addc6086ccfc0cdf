#include "cuda/emulator.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <sys/mman.h>
#include <vector>

#include "cuda/emulator_limits.h"
#include "cuda/fiber.h"

uint3 threadIdx;
uint3 blockIdx;
dim3 blockDim;
dim3 gridDim;

/* The linker's: where the `__shared__` variables of all kernels begin and end. */
extern "C" {
extern char __start_kg_shared[] __attribute__((weak));
extern char __stop_kg_shared[] __attribute__((weak));
}

/* A whole page size, and room for what an unoptimised kernel under the sanitizers needs. */
enum : size_t { STACK_BYTES = 256 << 10, GUARD_BYTES = 4096, VALUE_BYTES_MOST = 256 };

enum waiting { READY, AT_BARRIER, AT_MEETING, ENDED };

struct thread {
    struct kg_fiber fiber;
    uint3 index;
    enum waiting waiting;
    enum kg_emulated_vote vote; /* at a barrier */
    int predicate;              /* what it votes; afterwards what came of it */
    const char *where;          /* at a meeting, with what it gives and where it wants all */
    unsigned mask;
    const void *mine;
    size_t bytes;
    void *all;
};

enum : unsigned { CLUSTER_MOST = 16 };

/* The one block that runs, or cluster of blocks: then its threads are those of the blocks, one
 * block's after the other's. */
static struct {
    const char *kernel; /* NULL outside kernels */
    const std::function<void()> *body;
    size_t shared_bytes;
    unsigned cluster; /* blocks */
    unsigned block_threads;
    uint3 first; /* block of the cluster */
    void *shared[CLUSTER_MOST];
    struct kg_fiber scheduler;
    std::deque<struct thread> threads; /* as many as the largest block so far; they do not move */
    std::vector<unsigned> ready;       /* in no order */
    unsigned count;
    unsigned ended;
    unsigned at_barrier;
    unsigned current;
    uint64_t random;
} block;

static uint64_t random_below(uint64_t end)
{
    uint64_t x = block.random += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (x ^ x >> 31) % end;
}

void kg_emulated_seed(uint64_t seed)
{
    block.random = seed;
}

static void place_print(void)
{
    fprintf(stderr, "emulator: kernel '%s', block (%u, %u, %u): ", block.kernel, blockIdx.x,
            blockIdx.y, blockIdx.z);
}

[[noreturn]] __attribute__((format(printf, 1, 2))) static void give_up(const char *format, ...)
{
    va_list args;
    if (block.kernel)
        place_print();
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    abort();
}

static struct thread *self(const char *what)
{
    if (!block.kernel)
        give_up("emulator: %s outside a kernel", what);
    return &block.threads[block.current];
}

unsigned kg_emulated_lane()
{
    (void)self("a lane's number");
    return block.current % warpSize;
}

void *kg_emulated_dynamic_shared()
{
    (void)self("dynamic shared memory");
    return block.shared[kg_emulated_rank()];
}

void *kg_emulated_dynamic_shared_of(unsigned rank)
{
    (void)self("dynamic shared memory");
    if (rank >= block.cluster)
        give_up("shared memory of block %u in a cluster of %u", rank, block.cluster);
    return block.shared[rank];
}

unsigned kg_emulated_rank()
{
    return block.current / block.block_threads;
}

/* --- Meetings of a warp
 * ---------------------------------------------------------------------------- */
static unsigned warp_start(unsigned thread)
{
    return thread / warpSize * warpSize;
}

static unsigned warp_lanes(unsigned start)
{
    return block.count - start < warpSize ? block.count - start : warpSize;
}

static bool is_at_meeting(const struct thread *thread, const struct thread *with)
{
    return thread->waiting == AT_MEETING && thread->mask == with->mask &&
           thread->bytes == with->bytes &&
           (thread->where == with->where || !strcmp(thread->where, with->where));
}

/* All lanes of the mask are here or have ended. */
static bool meeting_is_complete(unsigned start, const struct thread *with)
{
    for (unsigned lane = 0; lane < warp_lanes(start); lane++) {
        const struct thread *thread = &block.threads[start + lane];
        if (with->mask >> lane & 1 && thread->waiting != ENDED && !is_at_meeting(thread, with))
            return false;
    }
    return true;
}

/* What the lanes gave lies on their stacks: all are served before one goes on. */
static void meeting_end(unsigned start, const struct thread *with)
{
    static char all[warpSize * VALUE_BYTES_MOST];
    const unsigned mask = with->mask;
    const size_t bytes = with->bytes;
    unsigned here = 0;
    memset(all, 0xff, warpSize * bytes);
    for (unsigned lane = 0; lane < warp_lanes(start); lane++)
        if (mask >> lane & 1 && block.threads[start + lane].waiting == AT_MEETING) {
            here |= 1U << lane;
            if (bytes)
                memcpy(all + lane * bytes, block.threads[start + lane].mine, bytes);
        }
    for (unsigned lane = 0; lane < warp_lanes(start); lane++)
        if (here >> lane & 1) {
            struct thread *thread = &block.threads[start + lane];
            if (bytes)
                memcpy(thread->all, all, warpSize * bytes);
            thread->waiting = READY;
            block.ready.push_back(start + lane);
        }
}

static bool is_missing(unsigned start, unsigned lane, unsigned mask)
{
    const struct thread *thread = &block.threads[start + lane];
    return mask >> lane & 1 && (thread->waiting == READY || thread->waiting == AT_BARRIER);
}

/* A thread came to a meeting: its own is all that this can complete. */
static void meeting_settle(unsigned thread)
{
    static unsigned last_missing; /* a lane; while it is still missing, nobody else needs a look */
    const unsigned start = warp_start(thread);
    const struct thread *with = &block.threads[thread];
    if (last_missing < warp_lanes(start) && is_missing(start, last_missing, with->mask))
        return;
    for (unsigned lane = 0; lane < warp_lanes(start); lane++)
        if (is_missing(start, lane, with->mask)) {
            last_missing = lane;
            return;
        }
    if (meeting_is_complete(start, with))
        meeting_end(start, with);
}

/* A thread ended: any meeting of its warp may have waited for that. */
static void meetings_settle(unsigned thread)
{
    const unsigned start = warp_start(thread);
    for (unsigned lane = 0; lane < warp_lanes(start); lane++)
        if (block.threads[start + lane].waiting == AT_MEETING)
            meeting_settle(start + lane);
}

void kg_emulated_meet(const char *where, unsigned mask, const void *mine, size_t bytes,
                      void *all_32)
{
    struct thread *thread = self(where);
    if (!(mask >> block.current % warpSize & 1))
        give_up("%s: the mask 0x%08x leaves out the calling lane %u of thread %u", where, mask,
                block.current % warpSize, block.current);
    if (bytes > VALUE_BYTES_MOST)
        give_up("%s: a value of %zu bytes is too large", where, bytes);
    thread->waiting = AT_MEETING;
    thread->where = where;
    thread->mask = mask;
    thread->mine = mine;
    thread->bytes = bytes;
    thread->all = all_32;
    kg_fiber_switch(&thread->fiber, &block.scheduler);
}

static unsigned ballot(const char *where, unsigned mask, int predicate)
{
    unsigned char mine = predicate != 0, all[warpSize];
    unsigned votes = 0;
    kg_emulated_meet(where, mask, &mine, sizeof mine, all);
    for (unsigned lane = 0; lane < warpSize; lane++)
        votes |= (all[lane] == 1 ? 1U : 0U) << lane;
    return votes;
}

unsigned __ballot_sync(unsigned mask, int predicate)
{
    return ballot("__ballot_sync", mask, predicate);
}

int __all_sync(unsigned mask, int predicate)
{
    return ballot("__all_sync", mask, !predicate) == 0;
}

/* --- Barriers of a block
 * ---------------------------------------------------------------------------- */
static const char *barrier_name(enum kg_emulated_vote vote)
{
    static const char *const names[] = {"__syncthreads", "__syncthreads_count", "__syncthreads_and",
                                        "__syncthreads_or", "kg_cluster_meet"};
    return names[vote];
}

int kg_emulated_barrier(enum kg_emulated_vote vote, int predicate)
{
    struct thread *thread = self(barrier_name(vote));
    thread->waiting = AT_BARRIER;
    thread->vote = vote;
    thread->predicate = predicate != 0;
    block.at_barrier++;
    kg_fiber_switch(&thread->fiber, &block.scheduler);
    return thread->predicate;
}

/* Whether all threads from `from` on, `count` of them, that have not ended wait at the same
 * barrier, the cluster's or another; if so, they go on. */
static bool barrier_end(unsigned from, unsigned count, bool of_cluster)
{
    const struct thread *first = nullptr;
    int votes = 0, here = 0;
    for (unsigned i = from; i < from + count; i++) {
        const struct thread *thread = &block.threads[i];
        if (thread->waiting == ENDED)
            continue;
        first = first ? first : thread;
        if (thread->waiting != AT_BARRIER || thread->vote != first->vote ||
            (thread->vote == KG_VOTE_CLUSTER) != of_cluster)
            return false;
        votes += thread->predicate;
        here++;
    }
    if (!first)
        return false;
    const int results[] = {0, votes, votes == here, votes > 0, 0};
    const int result = results[first->vote];
    for (unsigned i = from; i < from + count; i++)
        if (block.threads[i].waiting == AT_BARRIER) {
            block.threads[i].waiting = READY;
            block.threads[i].predicate = result;
            block.ready.push_back(i);
            block.at_barrier--;
        }
    return true;
}

static bool barrier_settle(void)
{
    bool any = false;
    if (block.at_barrier == 0)
        return false;
    for (unsigned rank = 0; rank < block.cluster; rank++)
        any |= barrier_end(rank * block.block_threads, block.block_threads, false);
    return any || barrier_end(0, block.count, true);
}

/* --- Threads
 * ----------------------------------------------------------------------------------------- */
/* A thread's stack serves one thread after the other and never returns from here, so that nothing
 * of one run is left on it for the next. */
static void thread_main()
{
    struct thread *thread = &block.threads[block.current];
    kg_fiber_begun(&block.scheduler);
    for (;;) {
        (*block.body)();
        thread->waiting = ENDED;
        block.ended++;
        kg_fiber_switch(&thread->fiber, &block.scheduler);
    }
}

static void thread_create(void)
{
    char *memory =
        static_cast<char *>(mmap(nullptr, GUARD_BYTES + STACK_BYTES, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    /* The page below catches what grows out of its stack. */
    if (memory == MAP_FAILED || mprotect(memory, GUARD_BYTES, PROT_NONE) != 0)
        give_up("emulator: no memory for the stack of a thread");
    block.threads.emplace_back();
    kg_fiber_create(&block.threads.back().fiber, memory + GUARD_BYTES, STACK_BYTES, thread_main);
}

[[noreturn]] static void report_deadlock(void)
{
    place_print();
    fprintf(stderr, "deadlock: %u of %u threads have ended; at %s", block.ended, block.count,
            block.at_barrier ? "barriers: " : "no barrier; ");
    if (block.at_barrier)
        fprintf(stderr, "%u; ", block.at_barrier);
    const char *last = "";
    for (unsigned i = 0; i < block.count; i++) {
        const struct thread *thread = &block.threads[i];
        const char *where = thread->waiting == AT_BARRIER   ? barrier_name(thread->vote)
                            : thread->waiting == AT_MEETING ? thread->where
                                                            : "";
        /* One line for each stretch of threads that wait at the same. */
        if (*where && strcmp(where, last) != 0)
            fprintf(stderr, "\n  from thread %u on: %s (mask 0x%08x)", i, where,
                    thread->waiting == AT_MEETING ? thread->mask : 0xffffffffU);
        last = where;
    }
    fputc('\n', stderr);
    abort();
}

static void thread_go_on(void)
{
    const size_t pick = random_below(block.ready.size());
    block.current = block.ready[pick];
    block.ready[pick] = block.ready.back();
    block.ready.pop_back();
    struct thread *thread = &block.threads[block.current];
    threadIdx = thread->index;
    blockIdx = block.first;
    blockIdx.x += kg_emulated_rank();
    kg_fiber_switch(&block.scheduler, &thread->fiber);
    if (thread->waiting == AT_MEETING)
        meeting_settle(block.current);
    if (thread->waiting == ENDED)
        meetings_settle(block.current);
}

/* Not memset: what lies between two variables belongs to the sanitizer. */
__attribute__((no_sanitize("address"))) static void static_shared_poison(void)
{
    for (volatile char *byte = __start_kg_shared; byte < __stop_kg_shared; byte++)
        *byte = static_cast<char>(0xff);
}

static void block_run(void)
{
    static_shared_poison();
    for (unsigned rank = 0; rank < block.cluster; rank++)
        memset(block.shared[rank], 0xff, block.shared_bytes);
    block.ready.clear();
    block.ended = 0;
    block.at_barrier = 0;
    for (unsigned i = 0; i < block.count; i++) {
        struct thread *thread = &block.threads[i];
        thread->waiting = READY;
        const unsigned own = i % block.block_threads;
        thread->index = {own % blockDim.x, own / blockDim.x % blockDim.y,
                         own / (blockDim.x * blockDim.y)};
        block.ready.push_back(i);
    }
    while (block.ended < block.count) {
        if (block.ready.empty() && !barrier_settle())
            report_deadlock();
        if (!block.ready.empty())
            thread_go_on();
    }
}

/* --- Launches
 * ---------------------------------------------------------------------------------------- */
/* What a launch is, until it runs. */
struct launch {
    const char *name;
    dim3 grid;
    dim3 threads;
    size_t shared_bytes;
    unsigned cluster;
    std::function<void()> body;
};

static void launch_begin(const struct launch &launch)
{
    gridDim = launch.grid;
    blockDim = launch.threads;
    block.cluster = launch.cluster;
    block.block_threads = launch.threads.x * launch.threads.y * launch.threads.z;
    block.count = block.block_threads * launch.cluster;
    block.shared_bytes = launch.shared_bytes;
    for (unsigned rank = 0; rank < launch.cluster; rank++)
        if (posix_memalign(&block.shared[rank], 128,
                           launch.shared_bytes ? launch.shared_bytes : 1) != 0)
            give_up("emulator: no memory for %zu bytes of shared memory", launch.shared_bytes);
    while (block.threads.size() < block.count)
        thread_create();
    block.kernel = launch.name;
    block.body = &launch.body;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    return b ? common_divisor(b, a % b) : a;
}

/* All blocks, or clusters, once, in steps that have no divisor in common with their number. */
static void launch_run(const struct launch &launch)
{
    launch_begin(launch);
    const unsigned across = gridDim.x / launch.cluster;
    const uint64_t count = static_cast<uint64_t>(across) * gridDim.y * gridDim.z;
    uint64_t at = random_below(count), step = 1 + random_below(count);
    while (common_divisor(count, step) != 1)
        step++;
    for (uint64_t i = 0; i < count; i++) {
        block.first = {static_cast<unsigned>(at % across) * launch.cluster,
                       static_cast<unsigned>(at / across % gridDim.y),
                       static_cast<unsigned>(at / across / gridDim.y)};
        block_run();
        at = (at + step) % count;
    }
    block.kernel = nullptr;
    for (unsigned rank = 0; rank < launch.cluster; rank++)
        free(block.shared[rank]);
}

void kg_emulated_launch_put(const char *name, const void *kernel, dim3 grid, dim3 threads,
                            size_t shared_bytes, cudaStream_t stream, std::function<void()> body,
                            unsigned cluster)
{
    if (block.kernel)
        give_up("emulator: a launch of '%s' inside a kernel", name);
    if (cluster == 0 || cluster > CLUSTER_MOST || grid.x % cluster != 0 ||
        (cluster > 1 && threads.x * threads.y * threads.z % warpSize != 0))
        give_up("emulator: '%s': %u blocks of %u threads in clusters of %u", name, grid.x,
                threads.x * threads.y * threads.z, cluster);
    if (!kg_emulated_launch_allowed(kernel, grid, threads, shared_bytes, stream))
        return;
    const struct launch launch = {name, grid, threads, shared_bytes, cluster, std::move(body)};
    (void)kg_emulated_put(stream, [launch] { launch_run(launch); });
}
