#include "run/worker/gpu_inspect.h"

#include <math.h>
#include <stdlib.h>

#include "base/grow.h"
#include "base/memory.h"

/* Graphs within graphs beyond this are a loop or a mistake. */
enum { DEPTH_MOST = 16 };
/* Kinds of memory in a copy's parameters, numbered as CUmemorytype. */
enum { MEMORY_HOST = 1, MEMORY_UNIFIED = 4 };

/* --- Nodes to a trace: pure ------------------------------------------------------------------- */

static double size_of_launch(const struct kg_gpu_node *node)
{
    return node->blocks * node->threads;
}

static void use_fill(const struct kg_gpu_node *node, const struct kg_gpu_shape *shape,
                     struct kg_kernel_use *use)
{
    use->blocks = node->blocks;
    use->threads = node->threads;
    use->registers = node->registers;
    use->shared_bytes = node->shared_bytes;
    use->local_bytes = node->local_bytes;
    use->occupancy = use->waves = NAN;
    if (node->resident_blocks > 0) {
        use->occupancy = node->resident_blocks * node->threads / shape->threads_per_multiprocessor;
        use->waves = node->blocks / (node->resident_blocks * shape->multiprocessors);
    }
}

/* The kernels of a call, and for each the node of its largest launch. */
struct kernels {
    struct kg_kernel_use *uses;
    const struct kg_gpu_node **largest;
    size_t count;
};

static void kernel_add(struct kernels *kernels, const struct kg_gpu_node *node,
                       const struct kg_gpu_shape *shape, struct kg_arena *arena)
{
    size_t k = 0;
    while (k < kernels->count && kernels->largest[k]->function != node->function)
        k++;
    struct kg_kernel_use *use = &kernels->uses[k];
    if (k == kernels->count) {
        *use = (struct kg_kernel_use){
            .name = node->name ? kg_arena_copy(arena, node->name)
                               : kg_arena_printf(arena, "kernel %zu", kernels->count + 1),
            .gpu_ns = NAN,
        };
        kernels->count++;
    }
    use->launches++;
    if (!kernels->largest[k] || size_of_launch(node) > size_of_launch(kernels->largest[k])) {
        kernels->largest[k] = node;
        use_fill(node, shape, use);
    }
}

static size_t functions_count(const struct kg_gpu_node *nodes, size_t count)
{
    size_t different = 0;
    for (size_t i = 0; i < count; i++) {
        size_t before = 0;
        if (nodes[i].kind != KG_GPU_KERNEL)
            continue;
        while (before < i &&
               (nodes[before].kind != KG_GPU_KERNEL || nodes[before].function != nodes[i].function))
            before++;
        different += before == i;
    }
    return different;
}

void kg_gpu_nodes_summarize(const struct kg_gpu_node *nodes, size_t count,
                            const struct kg_gpu_shape *shape, struct kg_arena *arena,
                            struct kg_trace *trace)
{
    const size_t functions = functions_count(nodes, count);
    struct kernels kernels = {.uses = kg_arena_alloc(arena, functions, sizeof *kernels.uses),
                              .largest = kg_arena_alloc(arena, functions, sizeof(void *))};
    *trace = (struct kg_trace)KG_TRACE_NONE;
    trace->source = KG_TRACE_OF_GRAPH;
    trace->launches = (double)count;
    trace->to_device_bytes = trace->to_host_bytes = trace->pageable_bytes = 0;
    for (size_t i = 0; i < count; i++) {
        if (nodes[i].kind == KG_GPU_KERNEL)
            kernel_add(&kernels, &nodes[i], shape, arena);
        if (nodes[i].kind == KG_GPU_TO_DEVICE)
            trace->to_device_bytes += nodes[i].bytes;
        if (nodes[i].kind == KG_GPU_TO_HOST)
            trace->to_host_bytes += nodes[i].bytes;
        if (nodes[i].kind == KG_GPU_TO_DEVICE || nodes[i].kind == KG_GPU_TO_HOST)
            trace->pageable_bytes += nodes[i].pageable_bytes;
        if (nodes[i].kind == KG_GPU_SOMEWHERE)
            trace->to_device_bytes = trace->to_host_bytes = trace->pageable_bytes = NAN;
    }
    trace->kernels = kernels.uses;
    trace->kernel_count = kernels.count;
}

/* --- A graph to nodes ------------------------------------------------------------------------- */

struct walk {
    const struct kg_driver *driver;
    struct kg_gpu_node *nodes;
    size_t count;
    size_t capacity;
    struct kg_error *err;
};

static struct kg_gpu_node *node_add(struct walk *walk, enum kg_gpu_node_kind kind)
{
    kg_grow(&walk->nodes, walk->count, &walk->capacity, sizeof *walk->nodes);
    walk->nodes[walk->count] = (struct kg_gpu_node){.kind = kind};
    return &walk->nodes[walk->count++];
}

static double attribute_of(const struct kg_driver *driver, int attribute, void *function)
{
    int value = 0;
    return driver->function_attribute(&value, attribute, function) == KG_DRIVER_SUCCESS
               ? (double)value
               : NAN;
}

static double resident_blocks(const struct kg_driver *driver, void *function, unsigned threads,
                              unsigned shared_bytes)
{
    int blocks = 0;
    return driver->occupancy_blocks(&blocks, function, (int)threads, shared_bytes) ==
                   KG_DRIVER_SUCCESS
               ? (double)blocks
               : NAN;
}

/* Kernels of libraries that load their code lazily are given as CUkernel rather than CUfunction. */
static void *function_of(const struct kg_driver *driver, const struct kg_kernel_node *parameters)
{
    void *function = parameters->function;
    if (!function && parameters->kernel && driver->kernel_function &&
        driver->kernel_function(&function, parameters->kernel) != KG_DRIVER_SUCCESS)
        function = NULL;
    return function;
}

static bool kernel_read(struct walk *walk, void *node)
{
    const struct kg_driver *driver = walk->driver;
    struct kg_kernel_node parameters = {0};
    const char *name = NULL;
    if (!kg_driver_good(driver, driver->node_kernel(node, &parameters), "cannot read a kernel",
                        walk->err))
        return false;
    void *function = function_of(driver, &parameters);
    struct kg_gpu_node *found = node_add(walk, KG_GPU_KERNEL);
    const unsigned *grid = parameters.grid, *block = parameters.block;
    const unsigned threads = block[0] * block[1] * block[2];
    found->function = function ? function : parameters.kernel;
    found->blocks = (double)grid[0] * grid[1] * grid[2];
    found->threads = threads;
    found->registers = found->shared_bytes = found->local_bytes = found->resident_blocks = NAN;
    if (!function)
        return true;
    if (driver->function_name && driver->function_name(&name, function) == KG_DRIVER_SUCCESS)
        found->name = name;
    found->registers = attribute_of(driver, KG_FUNCTION_REGISTERS, function);
    found->shared_bytes =
        attribute_of(driver, KG_FUNCTION_SHARED_BYTES, function) + parameters.shared_bytes;
    found->local_bytes = attribute_of(driver, KG_FUNCTION_LOCAL_BYTES, function);
    found->resident_blocks = resident_blocks(driver, function, threads, parameters.shared_bytes);
    return true;
}

static enum kg_gpu_node_kind copy_kind(const struct kg_memcpy_node *parameters)
{
    const bool from_host = parameters->source_type == MEMORY_HOST;
    const bool to_host = parameters->target_type == MEMORY_HOST;
    if (parameters->source_type == MEMORY_UNIFIED || parameters->target_type == MEMORY_UNIFIED)
        return KG_GPU_SOMEWHERE;
    return from_host == to_host ? KG_GPU_WITHIN : from_host ? KG_GPU_TO_DEVICE : KG_GPU_TO_HOST;
}

/* Share of the copied host memory that is pageable. The driver must copy memory that it does not
 * know page by page. */
static double pageable_share(const struct kg_driver *driver,
                             const struct kg_memcpy_node *parameters)
{
    unsigned type = 0;
    const void *host =
        parameters->source_type == MEMORY_HOST ? parameters->source_host : parameters->target_host;
    switch (driver->pointer_attribute(&type, KG_POINTER_MEMORY_TYPE, (uint64_t)(uintptr_t)host)) {
    case KG_DRIVER_SUCCESS:
        return 0;
    case KG_DRIVER_INVALID_VALUE:
        return 1;
    default:
        return NAN;
    }
}

static size_t at_least_one(size_t count)
{
    return count ? count : 1;
}

static bool copy_read(struct walk *walk, void *node)
{
    struct kg_memcpy_node parameters = {0};
    if (!kg_driver_good(walk->driver, walk->driver->node_memcpy(node, &parameters),
                        "cannot read a copy", walk->err))
        return false;
    struct kg_gpu_node *found = node_add(walk, copy_kind(&parameters));
    /* a copy in one dimension may leave the others at 0 */
    found->bytes = (double)parameters.width_bytes * (double)at_least_one(parameters.height) *
                   (double)at_least_one(parameters.depth);
    if (found->kind == KG_GPU_TO_DEVICE || found->kind == KG_GPU_TO_HOST)
        found->pageable_bytes = found->bytes * pageable_share(walk->driver, &parameters);
    return true;
}

static bool graph_walk(struct walk *walk, void *graph, int depth);

static bool child_walk(struct walk *walk, void *node, int depth)
{
    void *child = NULL;
    if (depth == DEPTH_MOST)
        return kg_error_set(walk->err, KG_ERROR_MEASURE, "a call's graphs are nested too deeply");
    return kg_driver_good(walk->driver, walk->driver->node_child(node, &child),
                          "cannot read a graph within a graph", walk->err) &&
           graph_walk(walk, child, depth + 1);
}

/* Nodes that put no work on the device, such as events, are passed over. */
static bool node_read(struct walk *walk, void *node, int depth)
{
    int type = KG_NODE_EMPTY;
    if (!kg_driver_good(walk->driver, walk->driver->node_type(node, &type), "cannot read a node",
                        walk->err))
        return false;
    switch (type) {
    case KG_NODE_KERNEL:
        return kernel_read(walk, node);
    case KG_NODE_MEMCPY:
        return copy_read(walk, node);
    case KG_NODE_MEMSET:
        node_add(walk, KG_GPU_FILL);
        return true;
    case KG_NODE_GRAPH:
        return child_walk(walk, node, depth);
    default:
        return true;
    }
}

static bool graph_walk(struct walk *walk, void *graph, int depth)
{
    size_t count = 0;
    const struct kg_driver *driver = walk->driver;
    if (!kg_driver_good(driver, driver->graph_nodes(graph, NULL, &count), "cannot read a graph",
                        walk->err))
        return false;
    if (!count)
        return true;
    void **nodes = kg_alloc(count, sizeof *nodes);
    bool good = kg_driver_good(driver, driver->graph_nodes(graph, nodes, &count),
                               "cannot read a graph's nodes", walk->err);
    for (size_t i = 0; i < count && good; i++)
        good = node_read(walk, nodes[i], depth);
    free(nodes);
    return good;
}

/* --- A call to a graph ------------------------------------------------------------------------ */

/* The capture is relaxed: a strict one would refuse a call that allocates. It must end even after a
 * failed call, because a stream under capture refuses all other work. */
static bool call_record(const struct kg_driver *driver, void *stream,
                        const struct kg_gpu_call *call, void **graph, struct kg_error *err)
{
    *graph = NULL;
    if (!kg_driver_good(driver, driver->stream_capture_begin(stream, KG_CAPTURE_RELAXED),
                        "a call cannot be recorded", err))
        return false;
    call->run(call->state);
    if (!kg_driver_good(driver, driver->stream_capture_end(stream, graph),
                        "a call cannot be recorded", err))
        return false;
    return *graph ? true : kg_error_set(err, KG_ERROR_MEASURE, "a call cannot be recorded");
}

static double device_figure(const struct kg_driver *driver, int attribute, int device)
{
    int value = 0;
    return driver->device_attribute(&value, attribute, device) == KG_DRIVER_SUCCESS && value > 0
               ? (double)value
               : NAN;
}

bool kg_gpu_inspect(const struct kg_driver *driver, int device, void *stream,
                    const struct kg_gpu_call *call, struct kg_arena *arena, struct kg_trace *trace,
                    struct kg_error *err)
{
    void *graph = NULL;
    struct walk walk = {.driver = driver, .err = err};
    const struct kg_gpu_shape shape = {
        .multiprocessors = device_figure(driver, KG_ATTRIBUTE_MULTIPROCESSORS, device),
        .threads_per_multiprocessor =
            device_figure(driver, KG_ATTRIBUTE_THREADS_PER_MULTIPROCESSOR, device),
    };
    *trace = (struct kg_trace)KG_TRACE_NONE;
    const bool good = call_record(driver, stream, call, &graph, err) && graph_walk(&walk, graph, 0);
    if (good)
        kg_gpu_nodes_summarize(walk.nodes, walk.count, &shape, arena, trace);
    if (graph)
        driver->graph_destroy(graph);
    free(walk.nodes);
    return good;
}
