/* bfs.h: breadth-first search from vertex 0 of an undirected graph: the distance of every vertex.
 *
 * The graph: `vertices` vertices in a ring, so that all are reached, and edges between vertices
 * drawn uniformly (seeded) until the average degree is `degree`; stored as compressed rows, both
 * directions. Loops and double edges stay, as such generators leave them. items: directed edges, 2
 * * edges, each looked at once by the plain version; bytes: 4 for each and 12 for each vertex; no
 * flops. Versions: plain, a queue; fast, level by level, downwards or upwards, whichever looks at
 * fewer edges (Beamer, Asanović and Patterson 2012), all threads. Error: how many distances differ
 * from the reference's, tolerance 0. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "kgate/plugin.h"

struct kg_bfs {
    uint64_t *start;     /* vertices + 1: where the neighbours of each begin */
    uint32_t *neighbour; /* 2 * edges */
    int32_t *distance;   /* the result: edges from vertex 0 */
    uint32_t *queue;     /* vertices; the plain version's, and the fast one's frontier */
    uint32_t *next;      /* vertices; the fast version's next frontier */
    size_t vertices;
    size_t edges;
    int threads;
    void (*version)(struct kg_bfs *bfs);
};

void kg_bfs_plain(struct kg_bfs *bfs);
void kg_bfs_fast(struct kg_bfs *bfs);

/* Distances by relaxing all edges until nothing changes (Bellman-Ford): obvious, and nothing like
 * the versions. `distance` has one entry for each vertex. */
void kg_bfs_reference(const struct kg_bfs *bfs, int32_t *distance);

extern const struct kgate_workload kg_kernel_bfs;
