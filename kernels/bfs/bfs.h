/* bfs.h: breadth-first search from vertex 0 of an undirected graph: the distance of every vertex.
 *
 * The graph: `vertices` vertices in a ring, so that all are reached, and edges between vertices
 * drawn uniformly (seeded) until the average degree is `degree`; stored as compressed rows, both
 * directions. Loops and double edges stay, as such generators leave them. items: directed edges, 2
 * * edges, each looked at once by the plain version; bytes: 4 for each and 12 for each vertex; no
 * flops. Versions: plain, a queue; fast, level by level, downwards or upwards, whichever looks at
 * fewer edges (Beamer, Asanović and Patterson 2012), all threads. Error: how many distances differ
 * from the reference's, tolerance 0.
 *
 * On the GPU a level is a launch, and the end of one is the barrier: nothing waits on the device.
 * plain: a thread for each vertex; queue, on the GPU only: a thread for each vertex of the
 * frontier; fast: downwards or upwards, and one block for many small levels. How many launches a
 * search takes depends on the graph alone. set_up counts them by a search on the CPU, so that a
 * run neither asks the device after each level nor waits for it; what each launch does the device
 * decides from what the one before found. */
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

/* Where a search stands, before the launch that reads it. */
struct kg_bfs_level {
    uint32_t frontier; /* how many vertices the last level found */
    uint32_t reached;  /* by earlier levels */
    int32_t distance;  /* of the frontier */
    uint32_t queue;    /* which of the two holds the frontier */
    uint32_t seen;     /* which of the two bitmaps holds all that are reached */
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
    uint32_t small_frontier; /* most vertices of a frontier that one block goes on with alone */
    int32_t depth;           /* the largest distance */
    uint32_t launches;       /* of `fast` */
    void *stream;
};

struct kg_bfs {
    struct kg_call call;
    uint64_t *start;     /* vertices + 1: where the neighbours of each begin */
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

/* Copies the graph to the arrays on the GPU and counts the launches. The host's distances and queue
 * are overwritten. False with context->message where that is impossible. */
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
