#include "bfs/bfs.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "common/common.h"
#include "common/device.h"

enum { VERTICES, DEGREE, VERSION, PARAMS };

static const char *const names[] = {"plain", "queue", "fast", NULL};
static void (*const versions[][2])(void *) = {
    {kg_bfs_plain, KG_CUDA_VERSION(kg_bfs_cuda_plain)},
    {NULL, KG_CUDA_VERSION(kg_bfs_cuda_queue)},
    {kg_bfs_fast, KG_CUDA_VERSION(kg_bfs_cuda_fast)},
};
static const struct kgate_param params[PARAMS] = {
    KG_PARAM_WHOLE("vertices", "65536", 3, 1 << 30, "vertices of the graph"),
    KG_PARAM_WHOLE("degree", "16", 2, 4096, "average number of neighbours; an even number"),
    KG_PARAM_CHOICE("version", "fast", names,
                    "plain, fast: level by level in both directions; queue: on the GPU only"),
};

static size_t vertices(const void *state)
{
    return ((const struct kg_bfs *)state)->vertices;
}

static size_t places(const void *state)
{
    return vertices(state) + 1;
}

static size_t neighbours(const void *state)
{
    return 2 * ((const struct kg_bfs *)state)->edges;
}

static size_t bitmap_words(const void *state)
{
    return (vertices(state) + 31) / 32;
}

/* The host makes the graph for both devices: it counts the launches of a search on the GPU. */
#define ROW(member, which, where, number)                                                          \
    {                                                                                              \
        KG_ARRAY(struct kg_bfs, member), .role = (which), .memory = (where), .count = (number)     \
    }
static const struct kg_kernel_array arrays[] = {
    ROW(start, KG_INPUT, KG_MEMORY_HOST, places),
    ROW(neighbour, KG_INPUT, KG_MEMORY_HOST, neighbours),
    ROW(distance, KG_OUTPUT, KG_MEMORY_HOST, vertices),
    ROW(queue, KG_SCRATCH, KG_MEMORY_HOST, vertices),
    ROW(next, KG_SCRATCH, KG_MEMORY_HOST, vertices),
    ROW(device.start, KG_SCRATCH, KG_MEMORY_GPU, places),
    ROW(device.neighbour, KG_SCRATCH, KG_MEMORY_GPU, neighbours),
    ROW(device.distance, KG_OUTPUT, KG_MEMORY_GPU, vertices),
    ROW(device.queue[0], KG_SCRATCH, KG_MEMORY_GPU, vertices),
    ROW(device.queue[1], KG_SCRATCH, KG_MEMORY_GPU, vertices),
    ROW(device.seen[0], KG_SCRATCH, KG_MEMORY_GPU, bitmap_words),
    ROW(device.seen[1], KG_SCRATCH, KG_MEMORY_GPU, bitmap_words),
    {KG_ARRAY(struct kg_bfs, device.levels), .role = KG_SCRATCH, .memory = KG_MEMORY_GPU,
     .elements = 3},
};

static bool shape(struct kgate_context *context, void *state, struct kgate_work *work)
{
    struct kg_bfs *bfs = state;
    const int64_t count = context->values[VERTICES].integer;
    const int64_t degree = context->values[DEGREE].integer;
    const double edges = (double)count * (double)degree;
    bfs->vertices = (size_t)count;
    bfs->edges = (size_t)count * (size_t)degree / 2;
    *work = (struct kgate_work){
        .items = edges, .item_name = "edges", .bytes = 4 * edges + 12 * (double)count};
    if (degree % 2)
        return kg_kernel_refuse(context, "degree must be even: an edge gives two neighbours");
    return kg_array_bytes(count, degree, sizeof(uint32_t)) ||
           kg_kernel_refuse(context, "a graph of vertices * degree edges is above 64 GiB");
}

/* The ends of edge e: the ring first, then random ones. Called twice, so that no list is needed. */
static void edge_ends(const struct kg_bfs *bfs, struct kg_random *random, size_t e, uint32_t *from,
                      uint32_t *to)
{
    if (e < bfs->vertices) {
        *from = (uint32_t)e;
        *to = (uint32_t)((e + 1) % bfs->vertices);
    } else {
        *from = (uint32_t)kg_random_below(random, bfs->vertices);
        *to = (uint32_t)kg_random_below(random, bfs->vertices);
    }
}

/* Counting sort of the edges by vertex: degrees, their running sum, then each
 * edge into its place. */
static void graph_make(struct kg_bfs *bfs, uint64_t seed)
{
    uint32_t from, to;
    struct kg_random random = {seed};
    for (size_t e = 0; e < bfs->edges; e++) {
        edge_ends(bfs, &random, e, &from, &to);
        bfs->start[from]++;
        bfs->start[to]++;
    }
    uint64_t sum = 0;
    for (size_t v = 0; v <= bfs->vertices; v++) {
        sum += v < bfs->vertices ? bfs->start[v] : 0;
        bfs->start[v] = sum;
    }
    /* Each list is filled from its end downwards. So start ends as the first place of each vertex's
     * neighbours. */
    random.state = seed;
    for (size_t e = 0; e < bfs->edges; e++) {
        edge_ends(bfs, &random, e, &from, &to);
        bfs->neighbour[--bfs->start[from]] = to;
        bfs->neighbour[--bfs->start[to]] = from;
    }
}

static bool prepare(struct kgate_context *context, void *state)
{
    struct kg_bfs *bfs = state;
    graph_make(bfs, context->seed);
    return context->device != KGATE_DEVICE_CUDA || kg_bfs_device_prepare(context, bfs);
}

static void restore(const struct kgate_context *context, void *state)
{
    struct kg_bfs *bfs = state;
    memset(bfs->start, 0, places(bfs) * sizeof *bfs->start);
    graph_make(bfs, context->seed);
}

static bool compare(const void *state, struct kgate_check *check)
{
    const struct kg_bfs *bfs = state;
    const int32_t *found = bfs->device.distance ? bfs->device.distance : bfs->distance;
    int32_t *distance = calloc(bfs->vertices, sizeof *distance);
    if (!distance)
        return false;
    kg_bfs_reference(bfs, distance);
    *check = (struct kgate_check){0};
    for (size_t v = 0; v < bfs->vertices; v++)
        check->error += found[v] != distance[v];
    free(distance);
    return true;
}

static const struct kg_kernel bfs_kernel = {
    .state_bytes = sizeof(struct kg_bfs),
    KG_KERNEL_ARRAYS(arrays),
    KG_KERNEL_VERSIONS(names, VERSION, versions),
    .shape = shape,
    .prepare = {prepare, prepare},
    .compare = compare,
    .restore = restore,
};
KG_KERNEL_WORKLOAD(bfs, .summary = "Breadth-first search of a random graph: latency and branches.",
                   .params = params, .param_count = PARAMS, .devices = KG_KERNEL_DEVICES,
                   .revision = 1);
