/* bfs.h: breadth-first search from vertex 0 of an undirected graph: the distance of every vertex.
 *
 * The graph has `vertices` vertices in a ring, so that all are reached. More edges connect vertices
 * drawn uniformly (seeded) until the average degree is `degree`. The graph is stored as compressed
 * rows, in both directions. Loops and double edges stay, as such generators leave them. items:
 * directed edges, 2 * edges; plain reads each once. bytes: 4 per directed edge and 12 per vertex;
 * no flops. Versions: plain, a queue; fast, level by level on all threads, downwards or upwards,
 * whichever reads fewer edges (Beamer, Asanović and Patterson 2012). Error: number of distances
 * that differ from the reference; tolerance 0.
 *
 * On the GPU each level is a launch. The end of a launch is the barrier: nothing waits on the
 * device. plain: one thread per vertex; queue, on the GPU only: one thread per vertex of the
 * frontier; fast: downwards or upwards, and one block for many small levels. The number of launches
 * depends on the graph alone. set_up counts them by a search on the CPU, so a run neither reads
 * back each level nor waits for it. The device chooses the work of each launch from the result of
 * the launch before. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Edges from a frontier up to which one block goes on alone: a few for each of its threads. */
enum { KG_BFS_SMALL_EDGES = 2048 };

/* The state of a search before the launch that reads it. */
struct kg_bfs_level {
    uint32_t frontier; /* vertices found on the last level */
    uint32_t reached;  /* vertices found on earlier levels */
    int32_t distance;  /* distance of the frontier */
    uint32_t queue;    /* index of the queue that holds the frontier: 0 or 1 */
    uint32_t seen;     /* index of the bitmap that holds all reached vertices: 0 or 1 */
};

/* In the GPU's memory. Handed to the kernels by value. */
struct kg_bfs_device {
    uint64_t *start;
    uint32_t *neighbour;
    int32_t *distance;           /* the GPU's result */
    uint32_t *queue[2];          /* vertices each */
    uint32_t *seen[2];           /* a bit for each vertex */
    struct kg_bfs_level *levels; /* 3: launch i reads i % 3, writes the next and clears the third */
    uint32_t vertices;
    uint32_t small_frontier; /* largest frontier, in vertices, that one block handles alone */
    int32_t depth;           /* the largest distance */
    uint32_t launches;       /* of `fast` */
    void *stream;
};

struct kg_bfs {
    struct kg_call call;
    uint64_t *start;     /* vertices + 1: first place of each vertex's neighbours */
    uint32_t *neighbour; /* 2 * edges */
    int32_t *distance;   /* edges from vertex 0: the CPU's result */
    uint32_t *queue;     /* vertices; the plain version's, and the fast one's frontier */
    uint32_t *next;      /* vertices; the fast version's next frontier */
    size_t vertices;
    size_t edges;
    struct kg_bfs_device device;
};

void kg_bfs_plain(void *state);
void kg_bfs_fast(void *state);
void kg_bfs_cuda_plain(void *state);
void kg_bfs_cuda_queue(void *state);
void kg_bfs_cuda_fast(void *state);

/* Copies the graph to the arrays on the GPU and counts the launches. Overwrites the host's
 * distances and queue. False with context->message on failure. */
bool kg_bfs_device_prepare(struct kgate_context *context, struct kg_bfs *bfs);
/* The largest distance, and how many launches `fast` takes: one for each level, and one for all
 * small levels in a row. From a search of the host's: `queue` with `reached` vertices in order of
 * `distance`. */
void kg_bfs_count_launches(struct kg_bfs *bfs, size_t reached);

/* Distances by relaxing all edges until nothing changes (Bellman-Ford): obvious, and nothing like
 * the versions. `distance` has one entry for each vertex. */
void kg_bfs_reference(const struct kg_bfs *bfs, int32_t *distance);

extern const struct kgate_workload kg_kernel_bfs;

#ifdef __cplusplus
}
#endif
