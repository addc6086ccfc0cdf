/* The graph on the GPU. */
#include "bfs/bfs.h"
#include "common/device.h"

/* Vertices are found in the order of their distance, so the frontiers lie in the queue one after
 * the other. The last one is not expanded. */
void kg_bfs_count_launches(struct kg_bfs *bfs, size_t reached)
{
    struct kg_bfs_device *device = &bfs->device;
    bool alone = false; /* the last launch: one block, for all following small levels */
    device->depth = bfs->distance[bfs->queue[reached - 1]];
    device->launches = 0;
    for (size_t begin = 0, end = 0; begin < reached; begin = end) {
        const int32_t distance = bfs->distance[bfs->queue[begin]];
        if (distance == device->depth)
            return;
        while (bfs->distance[bfs->queue[end]] == distance)
            end++;
        const bool small = end - begin <= device->small_frontier;
        device->launches += !(small && alone);
        alone = small;
    }
}

static size_t search_host(struct kg_bfs *bfs)
{
    size_t reached = 0;
    kg_bfs_plain(bfs);
    for (size_t v = 0; v < bfs->vertices; v++)
        reached += bfs->distance[v] >= 0;
    return reached;
}

bool kg_bfs_device_prepare(struct kgate_context *context, struct kg_bfs *bfs)
{
    struct kg_bfs_device *device = &bfs->device;
    const size_t vertices = bfs->vertices, edges = bfs->edges;
    /* A vertex stands for the mean number of edges per vertex. */
    const size_t small = KG_BFS_SMALL_EDGES * vertices / (2 * edges + 1);
    device->vertices = (uint32_t)vertices;
    device->small_frontier = small ? (uint32_t)small : 1;
    device->stream = context->stream;
    kg_bfs_count_launches(bfs, search_host(bfs));
    return kg_device_upload(context, device->start, bfs->start,
                            (vertices + 1) * sizeof *bfs->start) &&
           kg_device_upload(context, device->neighbour, bfs->neighbour,
                            2 * edges * sizeof *bfs->neighbour);
}
