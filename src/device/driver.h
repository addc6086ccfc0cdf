/* driver.h: the CUDA driver, opened at run time, so that the same kgate runs without one. Needs
 * neither CUDA's headers nor its runtime library. Opening makes no context and loads no device.
 *
 * Signatures follow NVIDIA's CUDA Driver API reference. Types are reduced to the ABI: handles as
 * pointers, enums as int, device addresses as uint64_t. Every function returns a code, of
 * kg_driver_code or another; kg_driver_words turns the code into words. Each thread has its own
 * current context, as the reference says. Once opened, the table is constant, and so
 * thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* NVIDIA's numbers. */
enum kg_driver_code {
    KG_DRIVER_SUCCESS = 0,
    KG_DRIVER_INVALID_VALUE = 1,
    KG_DRIVER_OUT_OF_MEMORY = 2,
    KG_DRIVER_DEVICE_UNAVAILABLE = 46, /* busy: another process has it exclusively */
    KG_DRIVER_NO_DEVICE = 100,
    KG_DRIVER_NO_BINARY_FOR_GPU = 209,
    KG_DRIVER_NOT_READY = 600,
    KG_DRIVER_CAPTURE_UNSUPPORTED = 900,
    KG_DRIVER_CAPTURE_INVALIDATED = 901,
};

/* Device attributes, numbered as CUdevice_attribute. */
enum kg_driver_attribute {
    KG_ATTRIBUTE_CLOCK_KHZ = 13,
    KG_ATTRIBUTE_MULTIPROCESSORS = 16,
    KG_ATTRIBUTE_INTEGRATED = 18,
    KG_ATTRIBUTE_COMPUTE_MODE = 20, /* 0 default, 2 prohibited, 3 exclusive process */
    KG_ATTRIBUTE_ECC = 32,
    KG_ATTRIBUTE_PCI_BUS = 33,
    KG_ATTRIBUTE_MEMORY_CLOCK_KHZ = 36,
    KG_ATTRIBUTE_MEMORY_BUS_BITS = 37,
    KG_ATTRIBUTE_L2_BYTES = 38,
    KG_ATTRIBUTE_THREADS_PER_MULTIPROCESSOR = 39,
    KG_ATTRIBUTE_CAPABILITY_MAJOR = 75,
    KG_ATTRIBUTE_CAPABILITY_MINOR = 76,
    KG_ATTRIBUTE_SHARED_PER_MULTIPROCESSOR = 81,
};

/* Function attributes, numbered as CUfunction_attribute. */
enum kg_function_attribute {
    KG_FUNCTION_SHARED_BYTES = 1,
    KG_FUNCTION_LOCAL_BYTES = 3,
    KG_FUNCTION_REGISTERS = 4,
    KG_FUNCTION_BINARY_VERSION = 6,      /* 90 */
    KG_FUNCTION_DYNAMIC_SHARED_MOST = 8, /* may be set: most bytes that a launch may ask for */
};

/* Attributes of addresses, numbered as CUpointer_attribute. Host memory that the driver neither
 * made nor page-locked has none: KG_DRIVER_INVALID_VALUE. */
enum kg_pointer_attribute { KG_POINTER_MEMORY_TYPE = 2 };

enum { KG_STREAM_DEFAULT = 0, KG_STREAM_NON_BLOCKING = 1 };
enum { KG_EVENT_DEFAULT = 0, KG_EVENT_DISABLE_TIMING = 2 };
enum { KG_HOST_ALLOC_MAPPED = 2 };
/* Other threads cannot break a thread-local capture. */
enum { KG_CAPTURE_THREAD_LOCAL = 1, KG_CAPTURE_RELAXED = 2 };
/* Kinds of graph nodes, numbered as CUgraphNodeType. */
enum kg_node_type {
    KG_NODE_KERNEL = 0,
    KG_NODE_MEMCPY = 1,
    KG_NODE_MEMSET = 2,
    KG_NODE_HOST = 3,
    KG_NODE_GRAPH = 4,
    KG_NODE_EMPTY = 5,
};

/* CUDA_KERNEL_NODE_PARAMS_v2. */
struct kg_kernel_node {
    void *function; /* NULL if `kernel` is given instead */
    unsigned grid[3];
    unsigned block[3];
    unsigned shared_bytes;
    void **parameters;
    void **extra;
    void *kernel;
    void *context;
};

/* CUDA_MEMCPY3D_v2. Memory types: 1 host, 2 device, 3 array, 4 unified. */
struct kg_memcpy_node {
    size_t source_x, source_y, source_z, source_lod;
    int source_type;
    const void *source_host;
    uint64_t source_device;
    void *source_array;
    void *source_context;
    size_t source_pitch, source_height;
    size_t target_x, target_y, target_z, target_lod;
    int target_type;
    void *target_host;
    uint64_t target_device;
    void *target_array;
    void *target_context;
    size_t target_pitch, target_height;
    size_t width_bytes;
    size_t height;
    size_t depth;
};

struct kg_driver {
    void *library;
    int version; /* 1000 * major + 10 * minor: the newest CUDA that the driver knows */

    int (*error_string)(int code, const char **text);
    int (*error_name)(int code, const char **text);

    int (*device_count)(int *count);
    int (*device_get)(int *device, int ordinal);
    int (*device_name)(char *name, int bytes, int device);
    int (*device_uuid)(unsigned char uuid[16], int device);
    int (*device_memory)(size_t *bytes, int device);
    int (*device_attribute)(int *value, int attribute, int device);
    int (*device_bus_id)(char *text, int bytes, int device);

    int (*context_retain)(void **context, int device); /* the primary context */
    int (*context_release)(int device);
    int (*context_use)(void *context); /* makes it current on this thread; NULL: no context */
    int (*context_synchronize)(void);

    int (*stream_create)(void **stream, unsigned flags);
    int (*stream_destroy)(void *stream);
    int (*stream_synchronize)(void *stream);
    int (*stream_query)(void *stream);
    int (*stream_capture_begin)(void *stream, int mode);
    int (*stream_capture_end)(void *stream, void **graph);

    int (*event_create)(void **event, unsigned flags);
    int (*event_destroy)(void *event);
    int (*event_record)(void *event, void *stream);
    int (*event_synchronize)(void *event);
    int (*event_elapsed)(float *milliseconds, void *start, void *stop);

    int (*memory_allocate)(uint64_t *address, size_t bytes);
    int (*memory_free)(uint64_t address);
    int (*memory_info)(size_t *free_bytes, size_t *total_bytes);
    int (*host_allocate)(void **memory, size_t bytes, unsigned flags);
    int (*host_free)(void *memory);
    int (*host_device_address)(uint64_t *address, void *memory, unsigned flags);
    int (*pointer_attribute)(void *value, int attribute, uint64_t address);
    int (*memset_async)(uint64_t address, unsigned value, size_t words, void *stream); /* D32 */
    int (*copy_to_host_async)(void *host, uint64_t device, size_t bytes, void *stream);
    int (*copy_to_device_async)(uint64_t device, const void *host, size_t bytes, void *stream);

    int (*module_load)(void **module, const void *image);
    int (*module_unload)(void *module);
    int (*module_function)(void **function, void *module, const char *name);
    int (*launch)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                  unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                  void *stream, void **parameters, void **extra);
    int (*function_attribute)(int *value, int attribute, void *function);
    int (*function_set)(void *function, int attribute, int value); /* may be NULL */
    /* CUDA_ERROR_INVALID_VALUE after the last parameter; may be NULL: before CUDA 12.4 */
    int (*function_parameter)(void *function, size_t i, size_t *offset, size_t *bytes);
    int (*function_name)(const char **name, void *function); /* may be NULL: before CUDA 12.3 */
    int (*occupancy_blocks)(int *blocks, void *function, int threads, size_t shared_bytes);

    int (*graph_instantiate)(void **executable, void *graph, unsigned long long flags);
    int (*graph_launch)(void *executable, void *stream);
    int (*graph_executable_destroy)(void *executable);
    int (*graph_destroy)(void *graph);
    int (*graph_nodes)(void *graph, void **nodes, size_t *count);
    int (*node_type)(void *node, int *type);
    int (*node_kernel)(void *node, struct kg_kernel_node *parameters);
    int (*node_memcpy)(void *node, struct kg_memcpy_node *parameters);
    int (*node_child)(void *node, void **graph);
    int (*kernel_function)(void **function, void *kernel); /* may be NULL: before CUDA 12 */
};

#define KG_DRIVER_LIBRARY "libcuda.so.1"

/* Opens the driver and initialises it. kgate never closes it, since the driver's own threads live
 * on.
 * library  KG_DRIVER_LIBRARY, or a path
 * why      on failure a phrase for the user, into why_bytes bytes: no driver, a broken one, no
 *          device
 * returns  false if no driver works */
bool kg_driver_open(const char *library, struct kg_driver *driver, char *why, size_t why_bytes);

/* Initialises the driver again and returns the code of its refusal: kg_driver_open has only words.
 * KG_DRIVER_SUCCESS if no driver's library is open. */
int kg_driver_initialise(const struct kg_driver *driver);

/* True for success. Otherwise err has the failed action and the driver's words: "cannot record an
 * event: an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)" */
bool kg_driver_good(const struct kg_driver *driver, int code, const char *what,
                    struct kg_error *err);

/* The driver's words for a code, into `text`. */
void kg_driver_words(const struct kg_driver *driver, int code, char *text, size_t bytes);
