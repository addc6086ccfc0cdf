/* cupti_abi.h: the part of CUPTI's binary interface that kgate reads, by NVIDIA's CUPTI reference. So
 * the build needs neither CUPTI's headers nor CUDA. Records of later versions are longer. Their
 * beginnings, declared here, have not changed since CUDA 12.0. tests/cuda/cupti_abi.cu compares this
 * file with NVIDIA's headers if they are installed. */
#pragma once
#include <stddef.h>
#include <stdint.h>

enum kg_cupti_code {
    KG_CUPTI_SUCCESS = 0,
    KG_CUPTI_INVALID_METRIC_NAME = 17,
    KG_CUPTI_INSUFFICIENT_PRIVILEGES = 35,
    KG_CUPTI_VIRTUALIZED_INSUFFICIENT_PRIVILEGES = 40,
};

enum kg_cupti_record_kind {
    KG_CUPTI_MEMCPY = 1,
    KG_CUPTI_MEMSET = 2,
    KG_CUPTI_KERNEL = 3,
    KG_CUPTI_CONCURRENT_KERNEL = 10,
};

enum kg_cupti_copy_kind {
    KG_CUPTI_HOST_TO_DEVICE = 1,
    KG_CUPTI_DEVICE_TO_HOST = 2,
    KG_CUPTI_HOST_TO_ARRAY = 3,
    KG_CUPTI_ARRAY_TO_HOST = 4,
};

/* Records begin at multiples of 8 bytes. */
struct kg_cupti_kernel_record {
    uint32_t kind;
    uint8_t cache_config;
    uint8_t shared_config;
    uint16_t registers;
    uint32_t partitioned_requested, partitioned_executed;
    uint64_t start_ns;
    uint64_t end_ns;
    uint64_t completed_ns;
    uint32_t device, context, stream;
    int32_t grid[3];
    int32_t block[3];
    int32_t static_shared_bytes;
    int32_t dynamic_shared_bytes;
    uint32_t local_bytes;
    uint32_t local_bytes_total;
    uint32_t correlation;
    int64_t grid_id;
    const char *name;
};

struct kg_cupti_copy_record {
    uint32_t kind;
    uint8_t copy_kind;
    uint8_t source_kind, target_kind;
    uint8_t flags;
    uint64_t bytes;
    uint64_t start_ns;
    uint64_t end_ns;
    uint32_t device, context, stream;
    uint32_t correlation;
};

/* Of a copy's source and target. */
enum { KG_CUPTI_PAGEABLE = 1 };

struct kg_cupti_fill_record {
    uint32_t kind;
    uint32_t value;
    uint64_t bytes;
    uint64_t start_ns;
    uint64_t end_ns;
    uint32_t device, context, stream;
    uint32_t correlation;
};

/* --- The range profiler, since CUDA 12.6 ------------------------------------------------------ */

/* Each function takes one structure. Its first member is its size, up to the last member that the
 * caller knows. Its second member is NULL. */
#define KG_CUPTI_SIZE(type, last) (offsetof(type, last) + sizeof(((type *)0)->last))

enum { KG_CUPTI_RANGE_PROFILER = 0, KG_CUPTI_USER_RANGE = 2, KG_CUPTI_USER_REPLAY = 3 };

struct kg_cupti_initialize {
    size_t size;
    void *reserved;
};

struct kg_cupti_chip {
    size_t size;
    void *reserved;
    size_t device;
    const char *name; /* out */
};

struct kg_cupti_host_initialize {
    size_t size;
    void *reserved;
    int profiler;
    const char *chip;
    const uint8_t *availability;
    void *host; /* out */
};

/* Also for closing it. */
struct kg_cupti_host {
    size_t size;
    void *reserved;
    void *host;
};

struct kg_cupti_add_metrics {
    size_t size;
    void *reserved;
    void *host;
    const char **names;
    size_t count;
};

struct kg_cupti_config_size {
    size_t size;
    void *reserved;
    void *host;
    size_t bytes; /* out */
};

struct kg_cupti_config {
    size_t size;
    void *reserved;
    void *host;
    size_t bytes;
    uint8_t *image;
};

struct kg_cupti_enable {
    size_t size;
    void *reserved;
    void *context;
    void *profiler; /* out */
};

/* Parameters to start, to end a range, and to disable. */
struct kg_cupti_profiler {
    size_t size;
    void *reserved;
    void *profiler;
};

struct kg_cupti_data_size {
    size_t size;
    void *reserved;
    void *profiler;
    const char **names;
    size_t count;
    size_t ranges_most;
    uint32_t range_nodes_most;
    size_t bytes; /* out */
};

struct kg_cupti_data_initialize {
    size_t size;
    void *reserved;
    void *profiler;
    size_t bytes;
    uint8_t *image;
};

struct kg_cupti_set_config {
    size_t size;
    void *reserved;
    void *profiler;
    size_t config_bytes;
    const uint8_t *config;
    size_t data_bytes;
    uint8_t *data;
    int range;
    int replay;
    size_t ranges_most;
    uint16_t levels;
    uint16_t level_least;
    size_t pass;
    uint16_t level;
};

struct kg_cupti_push {
    size_t size;
    void *reserved;
    void *profiler;
    const char *name;
};

struct kg_cupti_stop {
    size_t size;
    void *reserved;
    void *profiler;
    size_t pass;
    size_t level;
    uint8_t all_passes_done; /* out */
};

struct kg_cupti_decode {
    size_t size;
    void *reserved;
    void *profiler;
    size_t ranges_dropped; /* out */
};

struct kg_cupti_evaluate {
    size_t size;
    void *reserved;
    void *host;
    const uint8_t *data;
    size_t data_bytes;
    size_t range;
    const char **names;
    size_t count;
    double *values;
};
