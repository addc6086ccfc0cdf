/* plugin_host.h: kgate's side of the workload interface: the context with its counting allocators. One host per
 * process at a time; not thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/driver.h"
#include "kgate/plugin.h"

enum { KG_REPORTS_MOST = 32, KG_REPORT_NAME_MOST = 100 };

/* A figure that the workload reported. */
struct kg_report_entry {
    char name[KG_REPORT_NAME_MOST + 1];
    double value;
};

struct kg_host {
    struct kgate_context context; /* for the workload; its `host` is this struct */
    uint64_t allocated_bytes;     /* current allocations, in bytes */
    uint64_t allocated_peak_bytes;
    uint64_t allocations;           /* number so far; decides the next one's offset in its page */
    struct kg_host_memory *first;   /* list of current allocations */
    const struct kg_driver *driver; /* on the GPU; else NULL */
    uint64_t limit_bytes;           /* limit of device memory in bytes; 0: none */
    bool limit_met;                 /* the limit refused the last device allocation */
    uint64_t device_bytes;          /* current device memory in bytes */
    uint64_t device_peak_bytes;
    struct kg_device_memory *device_memory;
    size_t device_memory_count;
    size_t device_memory_capacity;
    struct kg_report_entry reports[KG_REPORTS_MOST];
    size_t report_count;
};

/* Stores a reported figure; a repeated name replaces its value. Beyond KG_REPORTS_MOST names the report is ignored. */
void kg_host_report(struct kg_host *host, const char *name, double value);

/* Initialises the host. `host` must not move afterwards.
 * values  borrowed */
void kg_host_start(struct kg_host *host, const struct kgate_value *values, enum kgate_device device,
                   unsigned threads, uint64_t seed);

/* Lets the workload use the GPU of the current context. The driver must outlive the host.
 * limit_bytes  limit of the workload's device memory in bytes; 0: none */
void kg_host_use_device(struct kg_host *host, const struct kg_driver *driver, void *stream,
                        uint64_t limit_bytes);

/* Frees all memory that the workload left. */
void kg_host_end(struct kg_host *host);
