#include <stdbool.h>
#include <string.h>

#include "bfs/bfs.h"
#include "kgate/profiler.h"

static const int32_t UNREACHED = -1;

/* 0 plain: a queue, one vertex after the other. */
void kg_bfs_plain(void *state)
{
    struct kg_bfs *bfs = state;
    size_t head = 0, tail = 0;
    for (size_t v = 0; v < bfs->vertices; v++)
        bfs->distance[v] = UNREACHED;
    bfs->distance[0] = 0;
    bfs->queue[tail++] = 0;
    while (head < tail) {
        const uint32_t v = bfs->queue[head++];
        for (uint64_t e = bfs->start[v]; e < bfs->start[v + 1]; e++) {
            const uint32_t w = bfs->neighbour[e];
            if (bfs->distance[w] == UNREACHED) {
                bfs->distance[w] = bfs->distance[v] + 1;
                bfs->queue[tail++] = w;
            }
        }
    }
}

/* Downwards: the frontier's vertices claim their unreached neighbours. Two threads may find the
 * same vertex: the exchange gives it to one. */
static size_t level_down(struct kg_bfs *bfs, size_t frontier, int32_t level)
{
    KGATE_SCOPE_ON("level_down", KGATE_DEVICE_CPU, "openmp", 0);
    size_t found = 0;
#pragma omp parallel for num_threads(bfs->call.threads) schedule(dynamic, 256)
    for (size_t i = 0; i < frontier; i++) {
        const uint32_t v = bfs->queue[i];
        for (uint64_t e = bfs->start[v]; e < bfs->start[v + 1]; e++) {
            int32_t *distance = &bfs->distance[bfs->neighbour[e]];
            int32_t expected = UNREACHED;
            if (__atomic_load_n(distance, __ATOMIC_RELAXED) == UNREACHED &&
                __atomic_compare_exchange_n(distance, &expected, level, false, __ATOMIC_RELAXED,
                                            __ATOMIC_RELAXED))
                bfs->next[__atomic_fetch_add(&found, 1, __ATOMIC_RELAXED)] = bfs->neighbour[e];
        }
    }
    return found;
}

static bool has_parent(const struct kg_bfs *bfs, size_t v, int32_t parent_level)
{
    for (uint64_t e = bfs->start[v]; e < bfs->start[v + 1]; e++)
        if (__atomic_load_n(&bfs->distance[bfs->neighbour[e]], __ATOMIC_RELAXED) == parent_level)
            return true;
    return false;
}

/* Upwards: every unreached vertex looks for one neighbour on the last level
 * and stops at the first. */
static size_t level_up(struct kg_bfs *bfs, int32_t level)
{
    KGATE_SCOPE_ON("level_up", KGATE_DEVICE_CPU, "openmp", 0);
    size_t found = 0;
#pragma omp parallel for num_threads(bfs->call.threads) schedule(static)
    for (size_t v = 0; v < bfs->vertices; v++)
        if (bfs->distance[v] == UNREACHED && has_parent(bfs, v, level - 1)) {
            __atomic_store_n(&bfs->distance[v], level, __ATOMIC_RELAXED);
            bfs->next[__atomic_fetch_add(&found, 1, __ATOMIC_RELAXED)] = (uint32_t)v;
        }
    return found;
}

/* 1 fast: level by level on all threads. If the frontier is a large part of the graph, most of its
 * edges lead to reached vertices. A search upwards, from the unreached vertices, skips these
 * edges. */
void kg_bfs_fast(void *state)
{
    struct kg_bfs *bfs = state;
    size_t frontier = 1, unreached = bfs->vertices - 1;
    memset(bfs->distance, 0xff, bfs->vertices * sizeof *bfs->distance);
    bfs->distance[0] = 0;
    bfs->queue[0] = 0;
    for (int32_t level = 1; frontier && unreached; level++) {
        /* Upwards an unreached vertex looks at about unreached / frontier neighbours before it
         * finds one, and all vertices are passed over once. */
        const bool upwards = frontier > bfs->vertices / 16;
        frontier = upwards ? level_up(bfs, level) : level_down(bfs, frontier, level);
        unreached -= frontier;
        uint32_t *swap = bfs->queue;
        bfs->queue = bfs->next;
        bfs->next = swap;
    }
}
