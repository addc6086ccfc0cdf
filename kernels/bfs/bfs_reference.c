#include <stdbool.h>

#include "bfs/bfs.h"

void kg_bfs_reference(const struct kg_bfs *bfs, int32_t *distance)
{
    for (size_t v = 0; v < bfs->vertices; v++)
        distance[v] = INT32_MAX;
    distance[0] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t v = 0; v < bfs->vertices; v++)
            for (uint64_t e = bfs->start[v]; e < bfs->start[v + 1]; e++) {
                const int32_t near = distance[bfs->neighbour[e]];
                if (near != INT32_MAX && near + 1 < distance[v]) {
                    distance[v] = near + 1;
                    changed = true;
                }
            }
    }
}
