/* The fake driver's graphs: what a stream is given while it is recorded, in that order. */
#include "fake_cuda_state.h"

#include <stdlib.h>
#include <string.h>

#include "device/driver.h"

struct node {
    int type;
    struct fake_operation operation;
    struct fake_launch launch;
    struct fake_copy copy;
    struct fake_graph *child;
};

struct fake_graph {
    struct node **nodes;
    size_t count;
};

/* What cuGraphInstantiate makes: all of it in a row. */
struct executable {
    struct fake_graph *graph; /* its own copy, for a recording that launches it */
    struct fake_operation *operations;
    size_t count;
};

static void *must(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

static struct fake_graph *graph_new(void)
{
    return must(calloc(1, sizeof(struct fake_graph)));
}

static void graph_free(struct fake_graph *graph)
{
    for (size_t i = 0; i < graph->count; i++) {
        if (graph->nodes[i]->child)
            graph_free(graph->nodes[i]->child);
        free(graph->nodes[i]);
    }
    free(graph->nodes);
    free(graph);
}

static struct node *node_add(struct fake_graph *graph, int type)
{
    graph->nodes = must(realloc(graph->nodes, (graph->count + 1) * sizeof *graph->nodes));
    struct node *node = must(calloc(1, sizeof *node));
    node->type = type;
    return graph->nodes[graph->count++] = node;
}

static struct fake_graph *graph_copy(const struct fake_graph *graph)
{
    struct fake_graph *copy = graph_new();
    for (size_t i = 0; i < graph->count; i++) {
        struct node *node = node_add(copy, graph->nodes[i]->type);
        *node = *graph->nodes[i];
        if (node->child)
            node->child = graph_copy(node->child);
    }
    return copy;
}

void fake_graphs_restart(void)
{
    for (struct fake_stream *stream = NULL; (stream = fake_stream_next(stream));) {
        if (stream->recording)
            graph_free(stream->recording);
        stream->recording = NULL;
    }
}

int fake_recording_break(void)
{
    int code = SUCCESS;
    for (struct fake_stream *stream = NULL; (stream = fake_stream_next(stream));)
        if (stream->recording) {
            stream->recording_broken = true;
            code = CAPTURE_UNSUPPORTED;
        }
    return code;
}

bool fake_record(struct fake_stream *stream, const struct fake_operation *operation,
                 const struct fake_launch *launch, const struct fake_copy *copy)
{
    if (!stream->recording)
        return false;
    struct node *node = node_add(stream->recording, launch ? KG_NODE_KERNEL
                                                    : copy ? KG_NODE_MEMCPY
                                                           : KG_NODE_MEMSET);
    node->operation = *operation;
    if (launch)
        node->launch = *launch;
    if (copy)
        node->copy = *copy;
    return true;
}

EXPORT int cuStreamBeginCapture_v2(void *handle, int mode)
{
    FAIL_IF_TOLD();
    struct fake_stream *stream = fake_stream_of(handle);
    if (!stream || !stream->alive || mode < 0 || mode > 2)
        return fake_misused();
    if (fake_stream_is_default(stream))
        return CAPTURE_UNSUPPORTED;
    if (stream->recording)
        return INVALID_VALUE;
    stream->recording = graph_new();
    stream->recording_broken = false;
    return SUCCESS;
}

EXPORT int cuStreamEndCapture(void *handle, void **graph)
{
    struct fake_stream *stream = fake_stream_of(handle);
    const int told = fake_failing(__func__);
    *graph = NULL;
    if (!stream || !stream->alive || !stream->recording)
        return fake_misused();
    if (told || stream->recording_broken) {
        graph_free(stream->recording);
        stream->recording = NULL;
        stream->recording_broken = false;
        return told ? told : CAPTURE_INVALIDATED;
    }
    *graph = stream->recording;
    stream->recording = NULL;
    fake_cuda()->counts->graphs_live++;
    return SUCCESS;
}

/* What destroys does so, and may return all the same what went wrong before. */
EXPORT int cuGraphDestroy(void *graph)
{
    graph_free(graph);
    fake_cuda()->counts->graphs_live--;
    return fake_failing(__func__);
}

static void operations_add(struct executable *executable, const struct fake_graph *graph)
{
    for (size_t i = 0; i < graph->count; i++) {
        if (graph->nodes[i]->child) {
            operations_add(executable, graph->nodes[i]->child);
            continue;
        }
        executable->operations = must(realloc(
            executable->operations, (executable->count + 1) * sizeof *executable->operations));
        executable->operations[executable->count++] = graph->nodes[i]->operation;
    }
}

EXPORT int cuGraphInstantiateWithFlags(void **handle, void *graph, unsigned long long flags)
{
    FAIL_IF_TOLD();
    FAIL_IF_RECORDING();
    if (flags || !graph)
        return INVALID_VALUE;
    struct executable *executable = must(calloc(1, sizeof *executable));
    executable->graph = graph_copy(graph);
    operations_add(executable, graph);
    *handle = executable;
    fake_cuda()->counts->executables_live++;
    return SUCCESS;
}

EXPORT int cuGraphExecDestroy(void *handle)
{
    struct executable *executable = handle;
    graph_free(executable->graph);
    free(executable->operations);
    free(executable);
    fake_cuda()->counts->executables_live--;
    return fake_failing(__func__);
}

/* One launch for the host, however much it is; into a stream that is recorded, one node. */
EXPORT int cuGraphLaunch(void *handle, void *stream_handle)
{
    const struct executable *executable = handle;
    const struct fake_cuda_device *device = fake_cuda()->device;
    FAIL_IF_TOLD();
    struct fake_stream *stream = fake_stream_of(stream_handle);
    if (!stream || !stream->alive)
        return fake_misused();
    if (stream->recording) { /* a recorded stream takes no launch of a graph */
        stream->recording_broken = true;
        return CAPTURE_UNSUPPORTED;
    }
    if (!fake_time_is_real())
        fake_pass(device->launch_host_ns);
    for (size_t i = 0; i < executable->count; i++) {
        struct fake_operation operation = executable->operations[i];
        operation.follows = i > 0;
        operation.gap_ns = i ? device->graph_gap_ns : device->gap_ns;
        fake_put(stream, operation);
    }
    return SUCCESS;
}

EXPORT int cuGraphGetNodes(void *handle, void **nodes, size_t *count)
{
    const struct fake_graph *graph = handle;
    FAIL_IF_TOLD();
    if (nodes)
        for (size_t i = 0; i < *count; i++)
            nodes[i] = i < graph->count ? graph->nodes[i] : NULL;
    if (!nodes || *count > graph->count)
        *count = graph->count;
    return SUCCESS;
}

EXPORT int cuGraphNodeGetType(void *handle, int *type)
{
    FAIL_IF_TOLD();
    *type = ((const struct node *)handle)->type;
    return SUCCESS;
}

EXPORT int cuGraphKernelNodeGetParams_v2(void *handle, struct kg_kernel_node *parameters)
{
    const struct node *node = handle;
    FAIL_IF_TOLD();
    if (node->type != KG_NODE_KERNEL)
        return INVALID_VALUE;
    *parameters = (struct kg_kernel_node){.shared_bytes = node->launch.shared_bytes};
    if (fake_cuda()->device->nodes_by_kernel)
        parameters->kernel = node->launch.function;
    else
        parameters->function = node->launch.function;
    memcpy(parameters->grid, node->launch.grid, sizeof parameters->grid);
    memcpy(parameters->block, node->launch.block, sizeof parameters->block);
    return SUCCESS;
}

EXPORT int cuGraphMemcpyNodeGetParams(void *handle, struct kg_memcpy_node *parameters)
{
    enum { HOST = 1, DEVICE = 2 };
    const struct node *node = handle;
    FAIL_IF_TOLD();
    if (node->type != KG_NODE_MEMCPY)
        return INVALID_VALUE;
    const struct fake_copy *copy = &node->copy;
    *parameters = (struct kg_memcpy_node){.source_type = copy->source_is_host ? HOST : DEVICE,
                                          .target_type = copy->target_is_host ? HOST : DEVICE,
                                          .width_bytes = copy->bytes,
                                          .height = 1,
                                          .depth = 1};
    if (copy->source_is_host)
        parameters->source_host = copy->source;
    else
        parameters->source_device = (uint64_t)(uintptr_t)copy->source;
    if (copy->target_is_host)
        parameters->target_host = copy->target;
    else
        parameters->target_device = (uint64_t)(uintptr_t)copy->target;
    return SUCCESS;
}

EXPORT int cuGraphChildGraphNodeGetGraph(void *handle, void **graph)
{
    const struct node *node = handle;
    FAIL_IF_TOLD();
    *graph = node->child;
    return node->child ? SUCCESS : INVALID_VALUE;
}
