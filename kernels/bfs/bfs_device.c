/* The graph on the GPU. */
#include "bfs/bfs.h"
#include "common/common.h"
#include "common/device.h"

/* Vertices are found in the order of their distance, so the frontiers lie in the queue one after
 * the other. The last one is not expanded. */
void kg_bfs_count_launches(struct kg_bfs *bfs, size_t reached)
{
    struct kg_bfs_device *device = &bfs->device;
    bool alone = false; /* the last launch was of one block, which goes on by itself */
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

static bool arrays_make(struct kgate_context *context, struct kg_bfs_device *device,
                        size_t vertices, size_t edges)
{
    const size_t words_bytes = (vertices + 31) / 32 * sizeof(uint32_t);
    device->start = context->allocate_device(context, (vertices + 1) * sizeof *device->start);
    device->neighbour = context->allocate_device(context, 2 * edges * sizeof *device->neighbour);
    device->distance = context->allocate_device(context, vertices * sizeof *device->distance);
    device->levels = context->allocate_device(context, 3 * sizeof *device->levels);
    bool made = device->start && device->neighbour && device->distance && device->levels;
    for (int i = 0; i < 2; i++) {
        device->queue[i] = context->allocate_device(context, vertices * sizeof(uint32_t));
        device->seen[i] = context->allocate_device(context, words_bytes);
        made = made && device->queue[i] && device->seen[i];
    }
    return made;
}

bool kg_bfs_device_make(struct kgate_context *context, struct kg_bfs *bfs)
{
    struct kg_bfs_device *device = &bfs->device;
    const size_t vertices = bfs->vertices, edges = bfs->edges;
    /* A vertex stands for as many edges as the mean one has. */
    const size_t small = KG_BFS_SMALL_EDGES * vertices / (2 * edges + 1);
    device->vertices = (uint32_t)vertices;
    device->small_frontier = small ? (uint32_t)small : 1;
    device->stream = context->stream;
    kg_bfs_count_launches(bfs, search_host(bfs));
    if (!arrays_make(context, device, vertices, edges))
        return kg_kernel_refuse(context, "no memory on the GPU for a graph of %zu vertices",
                                vertices);
    return kg_device_upload(context, device->start, bfs->start,
                            (vertices + 1) * sizeof *bfs->start) &&
           kg_device_upload(context, device->neighbour, bfs->neighbour,
                            2 * edges * sizeof *bfs->neighbour) &&
           kg_device_poison(context, device->distance, vertices * sizeof *device->distance);
}

void kg_bfs_device_free(struct kgate_context *context, struct kg_bfs *bfs)
{
    struct kg_bfs_device *device = &bfs->device;
    context->release_device(context, device->start);
    context->release_device(context, device->neighbour);
    context->release_device(context, device->distance);
    context->release_device(context, device->levels);
    for (int i = 0; i < 2; i++) {
        context->release_device(context, device->queue[i]);
        context->release_device(context, device->seen[i]);
    }
}
