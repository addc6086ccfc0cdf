#include "bfs/bfs.h"

#include <stdlib.h>

#include "common/common.h"
#include "common/device.h"
#include "util/random.h"

enum { VERTICES, DEGREE, VERSION };

static const char *const versions[] = {"plain", "queue", "fast", NULL};
static void (*const cpu_versions[])(struct kg_bfs *) = {kg_bfs_plain, NULL, kg_bfs_fast};
#ifdef KGATE_HAVE_CUDA
static void (*const cuda_versions[])(struct kg_bfs *) = {kg_bfs_cuda_plain, kg_bfs_cuda_queue,
                                                         kg_bfs_cuda_fast};
#else
static void (*const cuda_versions[])(struct kg_bfs *) = {NULL, NULL, NULL};
#endif
static const struct kgate_param params[] = {
    {.name = "vertices",
     .type = KGATE_PARAM_INTEGER,
     .default_text = "65536",
     .minimum = 3,
     .maximum = 1 << 30,
     .help = "vertices of the graph"},
    {.name = "degree",
     .type = KGATE_PARAM_INTEGER,
     .default_text = "16",
     .minimum = 2,
     .maximum = 4096,
     .help = "average number of neighbours; an even number"},
    {.name = "version",
     .type = KGATE_PARAM_CHOICE,
     .default_text = "fast",
     .choices = versions,
     .help = "plain, fast: level by level in both directions; queue: on the GPU only"},
};

static void (*version_of(const struct kgate_context *context))(struct kg_bfs *)
{
    const int64_t version = context->values[VERSION].integer;
    return context->device == KGATE_DEVICE_CUDA ? cuda_versions[version] : cpu_versions[version];
}

static bool describe(struct kgate_context *context, struct kgate_work *work)
{
    const int64_t vertices = context->values[VERTICES].integer;
    const int64_t degree = context->values[DEGREE].integer;
    if (degree % 2)
        return kg_kernel_refuse(context, "degree must be even: an edge gives two neighbours");
    if (!kg_array_bytes(vertices, degree, sizeof(uint32_t)))
        return kg_kernel_refuse(context, "a graph of vertices * degree edges is above 64 GiB");
    if (!version_of(context))
        return kg_device_refuse_version(context, versions[context->values[VERSION].integer]);
    const double edges = (double)vertices * (double)degree;
    *work = (struct kgate_work){.items = edges, .bytes = 4 * edges + 12 * (double)vertices};
    return true;
}

static void tear_down(struct kgate_context *context, void *state)
{
    struct kg_bfs *bfs = state;
    if (!bfs)
        return;
    context->release(context, bfs->start);
    context->release(context, bfs->neighbour);
    context->release(context, bfs->distance);
    context->release(context, bfs->queue);
    context->release(context, bfs->next);
    if (context->device == KGATE_DEVICE_CUDA)
        kg_bfs_device_free(context, bfs);
    context->release(context, bfs);
}

static bool arrays_make(struct kgate_context *context, struct kg_bfs *bfs)
{
    bfs->start = context->allocate(context, (bfs->vertices + 1) * sizeof *bfs->start);
    bfs->neighbour = context->allocate(context, 2 * bfs->edges * sizeof *bfs->neighbour);
    bfs->distance = context->allocate(context, bfs->vertices * sizeof *bfs->distance);
    bfs->queue = context->allocate(context, bfs->vertices * sizeof *bfs->queue);
    bfs->next = context->allocate(context, bfs->vertices * sizeof *bfs->next);
    return bfs->start && bfs->neighbour && bfs->distance && bfs->queue && bfs->next;
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

/* Counting sort of the edges by vertex: degrees, their running sum, then each edge into its place.
 */
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
    /* Filled from each end downwards, start ends as where the neighbours begin. */
    random.state = seed;
    for (size_t e = 0; e < bfs->edges; e++) {
        edge_ends(bfs, &random, e, &from, &to);
        bfs->neighbour[--bfs->start[from]] = to;
        bfs->neighbour[--bfs->start[to]] = from;
    }
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct kg_bfs *bfs = context->allocate(context, sizeof *bfs);
    const size_t vertices = (size_t)context->values[VERTICES].integer;
    if (bfs)
        *bfs = (struct kg_bfs){.vertices = vertices,
                               .edges = vertices * (size_t)context->values[DEGREE].integer / 2,
                               .threads = (int)context->threads,
                               .version = version_of(context)};
    if (!bfs || !arrays_make(context, bfs)) {
        tear_down(context, bfs);
        return kg_kernel_refuse(context, "no memory for a graph of %zu vertices", vertices);
    }
    graph_make(bfs, context->seed);
    if (context->device == KGATE_DEVICE_CUDA && !kg_bfs_device_make(context, bfs)) {
        tear_down(context, bfs);
        return false;
    }
    for (size_t v = 0; v < vertices; v++) {
        bfs->queue[v] = bfs->next[v] = 1;
        bfs->distance[v] = INT32_MIN;
    }
    *state = bfs;
    return true;
}

static void run(void *state)
{
    struct kg_bfs *bfs = state;
    bfs->version(bfs);
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    const struct kg_bfs *bfs = state;
    if (context->device == KGATE_DEVICE_CUDA &&
        !(kg_device_good(context) &&
          kg_device_download(context, bfs->distance, bfs->device.distance,
                             bfs->vertices * sizeof *bfs->distance)))
        return false;
    int32_t *distance = calloc(bfs->vertices, sizeof *distance);
    if (!distance)
        return kg_kernel_refuse(context, "no memory for the reference");
    kg_bfs_reference(bfs, distance);
    *check = (struct kgate_check){0};
    for (size_t v = 0; v < bfs->vertices; v++)
        check->error += bfs->distance[v] != distance[v];
    free(distance);
    return true;
}

const struct kgate_workload kg_kernel_bfs = {
    .name = "bfs",
    .summary = "Breadth-first search of a random graph: latency and branches.",
    .params = params,
    .param_count = sizeof params / sizeof *params,
    .devices = KG_KERNEL_DEVICES,
    .revision = 1,
    .describe = describe,
    .set_up = set_up,
    .run = run,
    .check = check,
    .tear_down = tear_down,
};
