#include "bfs/bfs.cuh"

static __global__ void __launch_bounds__(KG_BFS_BLOCK) begin(struct kg_bfs_device device)
{
    for (size_t v = kg_bfs_thread(); v < device.vertices; v += kg_bfs_threads()) {
        device.distance[v] = v ? KG_BFS_UNREACHED : 0;
        if (v % 32 == 0)
            device.seen[0][v / 32] = v ? 0 : 1;
    }
    if (kg_bfs_thread() == 0) {
        device.queue[0][0] = 0;
        device.levels[0] = {1, 0, 0, 0, 0};
        device.levels[1] = device.levels[2] = {0, 0, 0, 0, 0};
    }
}

void kg_bfs_launch_begin(const struct kg_bfs_device *device)
{
    KG_LAUNCH(begin, kg_bfs_grid(device->vertices, KG_BFS_BLOCK), KG_BFS_BLOCK, 0, device->stream,
              *device);
}

/* 0 plain: a thread for each vertex on every level. Those on the last level mark their unreached
 * neighbours; two that find the same one write the same. */
static __global__ void __launch_bounds__(KG_BFS_BLOCK)
    plain_level(struct kg_bfs_device device, int32_t level)
{
    for (size_t v = kg_bfs_thread(); v < device.vertices; v += kg_bfs_threads())
        if (device.distance[v] == level - 1)
            for (uint64_t e = device.start[v]; e < device.start[v + 1]; e++) {
                int32_t *distance = &device.distance[device.neighbour[e]];
                if (*distance == KG_BFS_UNREACHED)
                    *distance = level;
            }
}

extern "C" void kg_bfs_cuda_plain(void *state)
{
    const struct kg_bfs_device *device = &static_cast<const struct kg_bfs *>(state)->device;
    kg_bfs_launch_begin(device);
    for (int32_t level = 1; level <= device->depth; level++)
        KG_LAUNCH(plain_level, kg_bfs_grid(device->vertices, KG_BFS_BLOCK), KG_BFS_BLOCK, 0,
                  device->stream, *device, level);
}

/* 1 queue: one thread per vertex of the frontier. So the cost of a level depends on its edges, not
 * on the whole graph. If several threads find a vertex, the atomic exchange lets one of them queue
 * it. */
static __global__ void __launch_bounds__(KG_BFS_BLOCK)
    queue_level(struct kg_bfs_device device, int32_t level)
{
    const uint32_t frontier = device.levels[(level - 1) % 3].frontier;
    uint32_t *found = &device.levels[level % 3].frontier;
    const uint32_t *queue = kg_bfs_one_of(device.queue, (uint32_t)(level - 1) % 2);
    uint32_t *next = kg_bfs_one_of(device.queue, (uint32_t)level % 2);
    if (kg_bfs_thread() == 0)
        device.levels[(level + 1) % 3].frontier = 0;
    for (size_t i = kg_bfs_thread(); i < frontier; i += kg_bfs_threads()) {
        const uint32_t v = queue[i];
        for (uint64_t e = device.start[v]; e < device.start[v + 1]; e++) {
            const uint32_t w = device.neighbour[e];
            if (device.distance[w] == KG_BFS_UNREACHED &&
                atomicCAS(&device.distance[w], KG_BFS_UNREACHED, level) == KG_BFS_UNREACHED)
                next[atomicAdd(found, 1U)] = w;
        }
    }
}

extern "C" void kg_bfs_cuda_queue(void *state)
{
    const struct kg_bfs_device *device = &static_cast<const struct kg_bfs *>(state)->device;
    kg_bfs_launch_begin(device);
    for (int32_t level = 1; level <= device->depth; level++)
        KG_LAUNCH(queue_level, kg_bfs_grid(device->vertices, KG_BFS_BLOCK), KG_BFS_BLOCK, 0,
                  device->stream, *device, level);
}
