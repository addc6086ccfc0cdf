/* 2 fast: level by level like `queue`, with four differences:
 * - The lanes of a warp share the edges of its vertices. So no lane waits for the longest list, and
 *   reads of a list are contiguous (Merrill, Garland and Grimshaw 2012).
 * - A bitmap marks reached vertices: it fits the cache even if the distances do not. A warp takes
 *   its places in the queue with one atomic addition.
 * - If the frontier is a large part of the graph, the search goes upwards. Every unreached vertex
 *   searches for one reached neighbour and stops at the first (Beamer, Asanović and Patterson
 *   2012). This is correct because the graph is symmetric: a reached neighbour of an unreached
 *   vertex is on the last level.
 * - One block handles small frontiers, level after level, as a launch would cost more than the
 *   level. */
#include "bfs/bfs.cuh"

enum { FAST_BLOCK = 512, FAST_WARPS = FAST_BLOCK / 32 };
#define ALL_LANES 0xffffffffU

/* Upwards is faster if the frontier has more than 1/14 of the unexplored edges and 1/24 of the
 * vertices, in the cited paper's measure. Here a vertex stands for its edges. */
enum { UP_UNREACHED = 14, UP_VERTICES = 24 };

static __device__ inline bool seen_get(const uint32_t *seen, uint32_t v)
{
    return seen[v / 32] >> v % 32 & 1;
}

/* Whether this thread is the first to reach v. Asks before it writes: most are reached already. */
static __device__ inline bool seen_claim(uint32_t *seen, uint32_t v)
{
    const uint32_t bit = 1U << v % 32;
    return !(seen[v / 32] & bit) && !(atomicOr(&seen[v / 32], bit) & bit);
}

/* A queue that is being filled. */
struct finds {
    uint32_t *queue;
    uint32_t *count;
    int32_t *distance;
    int32_t level;
};

/* All lanes of a warp together: those with `fresh` queue their v. Returns which they are. */
static __device__ inline unsigned finds_add(struct finds finds, bool fresh, uint32_t v)
{
    const unsigned lane = threadIdx.x % 32, lanes = __ballot_sync(ALL_LANES, fresh);
    if (!lanes)
        return 0;
    const int leader = __ffs((int)lanes) - 1;
    uint32_t place = 0;
    if ((int)lane == leader)
        place = atomicAdd(finds.count, (uint32_t)__popc(lanes));
    place = __shfl_sync(ALL_LANES, place, leader);
    if (fresh) {
        finds.queue[place + (uint32_t)__popc(lanes & ((1U << lane) - 1))] = v;
        finds.distance[v] = finds.level;
    }
    return lanes;
}

/* The sum of `x` over this lane and all lanes before it. */
static __device__ inline uint32_t lanes_sum(uint32_t x)
{
    for (unsigned by = 1; by < 32; by *= 2) {
        const uint32_t before = __shfl_up_sync(ALL_LANES, x, by);
        x += threadIdx.x % 32 >= by ? before : 0;
    }
    return x;
}

/* How many lanes have an `end` up to i: the one whose list i is in. Never above 31. */
static __device__ inline int lane_of(uint32_t end, uint32_t i)
{
    int lane = 0;
    for (int step = 16; step; step /= 2)
        lane += __shfl_sync(ALL_LANES, end, lane + step - 1) <= i ? step : 0;
    return lane;
}

/* A warp goes through the edges of the `count` (to 32) vertices at `frontier`. The lists of a warp
 * together are below 2^32 edges: a list is about the mean degree long, which is at most 4096. */
static __device__ void expand(const struct kg_bfs_device &device, const uint32_t *frontier,
                              uint32_t count, uint32_t *seen, struct finds finds)
{
    const uint32_t lane = threadIdx.x % 32;
    uint64_t begin = 0;
    uint32_t degree = 0;
    if (lane < count) {
        const uint32_t v = frontier[lane];
        begin = __ldg(&device.start[v]);
        degree = (uint32_t)(__ldg(&device.start[v + 1]) - begin);
    }
    const uint32_t end = lanes_sum(degree), total = __shfl_sync(ALL_LANES, end, 31);
    begin -= end - degree; /* so that edge i of the warp is neighbour[begin + i] */
    for (uint32_t first = 0; first < total; first += 32) {
        const uint32_t i = first + lane;
        const uint64_t e = __shfl_sync(ALL_LANES, begin, lane_of(end, i)) + i;
        const uint32_t v = i < total ? __ldg(&device.neighbour[e]) : 0;
        finds_add(finds, i < total && seen_claim(seen, v), v);
    }
}

/* Warp `warp` of `warps` takes its share of the frontier, 32 vertices at a time if there are enough
 * for all warps. */
static __device__ void level_down(const struct kg_bfs_device &device, struct kg_bfs_level now,
                                  uint32_t warp, uint32_t warps, struct finds finds)
{
    const uint32_t share = (now.frontier - 1) / warps + 1, batch = share < 32 ? share : 32;
    for (size_t i = (size_t)warp * batch; i < now.frontier; i += (size_t)warps * batch) {
        const size_t left = now.frontier - i;
        expand(device, kg_bfs_one_of(device.queue, now.queue) + i,
               left < batch ? (uint32_t)left : batch, kg_bfs_one_of(device.seen, now.seen), finds);
    }
}

static __device__ bool has_parent(const struct kg_bfs_device &device, const uint32_t *seen,
                                  uint32_t v)
{
    const uint64_t end = __ldg(&device.start[v + 1]);
    for (uint64_t e = __ldg(&device.start[v]); e < end; e++)
        if (seen_get(seen, __ldg(&device.neighbour[e])))
            return true;
    return false;
}

/* A warp takes 32 vertices that share a word. Reads one bitmap and writes all of the other:
 * vertices found on this level are no parents on it. */
static __device__ void level_up(const struct kg_bfs_device &device, struct kg_bfs_level now,
                                uint32_t warp, uint32_t warps, struct finds finds)
{
    const uint32_t *before = kg_bfs_one_of(device.seen, now.seen);
    uint32_t *after = kg_bfs_one_of(device.seen, now.seen ^ 1);
    const uint32_t words = (device.vertices + 31) / 32, lane = threadIdx.x % 32;
    for (uint32_t word = warp; word < words; word += warps) {
        const uint32_t seen = before[word], v = word * 32 + lane;
        const bool open = !(seen >> lane & 1) && v < device.vertices;
        const unsigned found = finds_add(finds, open && has_parent(device, before, v), v);
        if (lane == 0)
            after[word] = seen | found;
    }
}

/* One block, from a small frontier until one is not small or all are reached. Each turn but the
 * last reaches a vertex, so there are at most as many as vertices. */
static __device__ struct kg_bfs_level levels_small(const struct kg_bfs_device &device,
                                                   struct kg_bfs_level now)
{
    __shared__ uint32_t found;
    while (now.frontier && now.frontier <= device.small_frontier && now.distance < device.depth) {
        if (threadIdx.x == 0)
            found = 0;
        __syncthreads();
        level_down(device, now, threadIdx.x / 32, FAST_WARPS,
                   {kg_bfs_one_of(device.queue, now.queue ^ 1), &found, device.distance,
                    now.distance + 1});
        __syncthreads();
        now = {found, now.reached + now.frontier, now.distance + 1, now.queue ^ 1, now.seen};
        __syncthreads(); /* all have read `found` */
    }
    return now;
}

/* Launch i. Its work follows from the slot that only the launch before wrote. So all blocks decide
 * alike, whenever they start. */
static __global__ void __launch_bounds__(FAST_BLOCK, 3)
    fast_level(struct kg_bfs_device device, uint32_t i)
{
    const struct kg_bfs_level now = device.levels[i % 3];
    struct kg_bfs_level *next = &device.levels[(i + 1) % 3];
    const uint32_t warp = (uint32_t)(kg_bfs_thread() / 32),
                   warps = (uint32_t)(kg_bfs_threads() / 32);
    if (kg_bfs_thread() == 0)
        device.levels[(i + 2) % 3].frontier = 0;
    if (now.frontier <= device.small_frontier) {
        if (blockIdx.x == 0) {
            const struct kg_bfs_level last = levels_small(device, now);
            if (threadIdx.x == 0)
                *next = last;
        }
        return;
    }
    const uint32_t unreached = device.vertices - now.reached - now.frontier;
    const bool upwards = (uint64_t)now.frontier * UP_UNREACHED > unreached &&
                         (uint64_t)now.frontier * UP_VERTICES > device.vertices;
    const struct finds finds = {kg_bfs_one_of(device.queue, now.queue ^ 1), &next->frontier,
                                device.distance, now.distance + 1};
    if (upwards)
        level_up(device, now, warp, warps, finds);
    else
        level_down(device, now, warp, warps, finds);
    if (kg_bfs_thread() == 0) { /* except the frontier, which every block adds to */
        next->reached = now.reached + now.frontier;
        next->distance = now.distance + 1;
        next->queue = now.queue ^ 1;
        next->seen = upwards ? now.seen ^ 1 : now.seen;
    }
}

extern "C" void kg_bfs_cuda_fast(void *state)
{
    const struct kg_bfs_device *device = &static_cast<const struct kg_bfs *>(state)->device;
    kg_bfs_launch_begin(device);
    for (uint32_t i = 0; i < device->launches; i++)
        KG_LAUNCH(fast_level, kg_bfs_grid(device->vertices, FAST_BLOCK), FAST_BLOCK, 0,
                  device->stream, *device, i);
}
