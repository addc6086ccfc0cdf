/* table_driver.h: a CUDA driver as a table of functions. A test defines the work that a call puts
 * on its stream: enough to record, read graphs and run. One at a time. */
#pragma once
#include "device/driver.h"
#include "run/timing/gpu_timer.h"
#include "test_support.h"

enum { TABLE_NODES_MOST = 32, TABLE_GRAPHS = 2, TABLE_FAILED = 700 };

/* A function of a module, or the kernel that stands for it. */
struct table_function {
    const char *name;
    int registers, shared_bytes, local_bytes;
    int resident_blocks; /* below 0: the driver does not say */
};

struct table_node {
    int type; /* enum kg_node_type */
    struct kg_kernel_node kernel;
    struct kg_memcpy_node copy;
    void *child; /* a graph */
};

struct table_graph {
    struct table_node nodes[TABLE_NODES_MOST];
    size_t count;
};

static struct {
    struct table_graph graphs[TABLE_GRAPHS]; /* the first is the graph of a call */
    int begin_code, end_code, synchronize_code;
    int mode;
    bool capturing;
    unsigned runs;     /* of calls outside of a recording */
    unsigned recorded; /* and inside */
    unsigned destroyed;
    void (*on_run)(void); /* extra work of the test during a run */
} table;

static int table_error_string(int code, const char **text)
{
    *text = code == KG_DRIVER_CAPTURE_INVALIDATED ? "operation failed due to a previous error"
                                                  : "a failure";
    return KG_DRIVER_SUCCESS;
}

static int table_error_name(int code, const char **text)
{
    *text = code == KG_DRIVER_CAPTURE_INVALIDATED ? "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"
                                                  : "CUDA_ERROR_OF_THE_TEST";
    return KG_DRIVER_SUCCESS;
}

static int table_capture_begin(void *stream, int mode)
{
    (void)stream;
    table.mode = mode;
    table.capturing = table.begin_code == KG_DRIVER_SUCCESS;
    return table.begin_code;
}

static int table_capture_end(void *stream, void **graph)
{
    (void)stream;
    table.capturing = false;
    *graph = table.end_code == KG_DRIVER_SUCCESS ? &table.graphs[0] : NULL;
    return table.end_code;
}

static int table_graph_destroy(void *graph)
{
    (void)graph;
    table.destroyed++;
    return KG_DRIVER_SUCCESS;
}

static int table_graph_nodes(void *handle, void **nodes, size_t *count)
{
    struct table_graph *graph = handle;
    for (size_t i = 0; nodes && i < *count && i < graph->count; i++)
        nodes[i] = &graph->nodes[i];
    *count = graph->count;
    return KG_DRIVER_SUCCESS;
}

static int table_node_type(void *node, int *type)
{
    *type = ((struct table_node *)node)->type;
    return KG_DRIVER_SUCCESS;
}

static int table_node_kernel(void *node, struct kg_kernel_node *parameters)
{
    *parameters = ((struct table_node *)node)->kernel;
    return KG_DRIVER_SUCCESS;
}

static int table_node_memcpy(void *node, struct kg_memcpy_node *parameters)
{
    *parameters = ((struct table_node *)node)->copy;
    return KG_DRIVER_SUCCESS;
}

static int table_node_child(void *node, void **graph)
{
    *graph = ((struct table_node *)node)->child;
    return KG_DRIVER_SUCCESS;
}

static int table_kernel_function(void **function, void *kernel)
{
    *function = kernel;
    return KG_DRIVER_SUCCESS;
}

static int table_function_attribute(int *value, int attribute, void *handle)
{
    const struct table_function *function = handle;
    *value = attribute == KG_FUNCTION_REGISTERS      ? function->registers
             : attribute == KG_FUNCTION_SHARED_BYTES ? function->shared_bytes
                                                     : function->local_bytes;
    return KG_DRIVER_SUCCESS;
}

static int table_function_name(const char **name, void *handle)
{
    *name = ((const struct table_function *)handle)->name;
    return KG_DRIVER_SUCCESS;
}

static int table_occupancy(int *blocks, void *handle, int threads, size_t shared_bytes)
{
    (void)threads;
    (void)shared_bytes;
    *blocks = ((const struct table_function *)handle)->resident_blocks;
    return *blocks < 0 ? TABLE_FAILED : KG_DRIVER_SUCCESS;
}

/* 132 multiprocessors of 2048 threads. */
static int table_device_attribute(int *value, int attribute, int device)
{
    (void)device;
    *value = attribute == KG_ATTRIBUTE_MULTIPROCESSORS ? 132 : 2048;
    return KG_DRIVER_SUCCESS;
}

/* The test's page-locked address. */
static const void *table_page_locked;

static int table_pointer_attribute(void *value, int attribute, uint64_t address)
{
    (void)attribute;
    if ((const void *)(uintptr_t)address != table_page_locked)
        return KG_DRIVER_INVALID_VALUE;
    *(unsigned *)value = 1;
    return KG_DRIVER_SUCCESS;
}

static int table_synchronize(void)
{
    return table.synchronize_code;
}

static void table_run(void *state)
{
    if (table.capturing)
        table.recorded++;
    else
        table.runs++;
    if (!table.capturing && table.on_run)
        table.on_run();
}

static inline struct kg_driver table_driver(void)
{
    memset(&table, 0, sizeof table);
    return (struct kg_driver){
        .version = 13000,
        .error_string = table_error_string,
        .error_name = table_error_name,
        .device_attribute = table_device_attribute,
        .pointer_attribute = table_pointer_attribute,
        .context_synchronize = table_synchronize,
        .stream_capture_begin = table_capture_begin,
        .stream_capture_end = table_capture_end,
        .function_attribute = table_function_attribute,
        .function_name = table_function_name,
        .occupancy_blocks = table_occupancy,
        .graph_destroy = table_graph_destroy,
        .graph_nodes = table_graph_nodes,
        .node_type = table_node_type,
        .node_kernel = table_node_kernel,
        .node_memcpy = table_node_memcpy,
        .node_child = table_node_child,
        .kernel_function = table_kernel_function,
    };
}

static const struct kg_gpu_call table_call = {.run = table_run};

static inline struct table_node *table_add(size_t graph, int type)
{
    struct table_graph *to = &table.graphs[graph];
    to->nodes[to->count].type = type;
    return &to->nodes[to->count++];
}

static inline void table_add_kernel(size_t graph, struct table_function *function, unsigned blocks,
                                    unsigned threads, unsigned shared_bytes)
{
    table_add(graph, KG_NODE_KERNEL)->kernel =
        (struct kg_kernel_node){.function = function,
                                .grid = {blocks, 1, 1},
                                .block = {threads, 1, 1},
                                .shared_bytes = shared_bytes};
}

static inline void table_add_copy(size_t graph, int source_type, int target_type, size_t bytes)
{
    table_add(graph, KG_NODE_MEMCPY)->copy = (struct kg_memcpy_node){
        .source_type = source_type, .target_type = target_type, .width_bytes = bytes};
}
